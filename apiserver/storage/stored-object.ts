import type { KubeObject } from '../control/kube-object.js';
import { encodeJson, isRecord, parseJson } from '../json.js';
import { encodeMessage } from '../protobuf/encode-message.js';
import { selectableField } from '../selectors/selectable-field.js';

/** One object at one revision. Immutable; the server keeps objects as bytes and parses them on demand. */
export interface StoredObject {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly uid: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The value of a selectable field, as a string; empty if it is missing. */
  field(path: string): string;
  readonly itemLength: number;
  /** Writes the object as a list item and returns the offset after it. */
  writeItem(target: Buffer, offset: number): number;
  item(): Buffer;
  protobufLength(message: string): number;
  /** Writes the object as that message, without an envelope, and returns the offset after it. */
  writeProtobuf(message: string, target: Buffer, offset: number): number;
  /** A new copy that the caller may change; with kind and apiVersion only if list items have them. */
  parse(): KubeObject;
  /** The same content with another resourceVersion, as in a DELETED event. */
  withRevision(revision: number): StoredObject;
}

export class EncodedObject implements StoredObject {
  readonly key: string;
  readonly uid: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly #item: Buffer;
  /** Encoded on first use; always as the same message, since a resource is stored in one version. */
  #protobuf: Buffer | undefined;

  /** `object` is in the form of a list item and has its resourceVersion. */
  constructor(key: string, revision: number, object: KubeObject) {
    this.key = key;
    this.uid = object.metadata?.uid ?? '';
    this.revision = revision;
    this.#item = Buffer.from(encodeJson(object));
    const labels = object.metadata?.labels;
    this.labels = isRecord(labels) ? (labels as Record<string, string>) : {};
  }

  field(path: string): string {
    const object = this.parse();
    return selectableField(object, path, object.kind !== undefined);
  }

  get itemLength(): number {
    return this.#item.length;
  }

  writeItem(target: Buffer, offset: number): number {
    return offset + this.#item.copy(target, offset);
  }

  item(): Buffer {
    return this.#item;
  }

  protobufLength(message: string): number {
    return this.#encoded(message).length;
  }

  writeProtobuf(message: string, target: Buffer, offset: number): number {
    return offset + this.#encoded(message).copy(target, offset);
  }

  parse(): KubeObject {
    return parseJson(this.#item.toString()) as KubeObject;
  }

  withRevision(revision: number): StoredObject {
    const object = this.parse();
    object.metadata = { ...object.metadata, resourceVersion: String(revision) };
    return new EncodedObject(this.key, revision, object);
  }

  #encoded(message: string): Buffer {
    this.#protobuf ??= encodeMessage(message, this.parse());
    return this.#protobuf;
  }
}
