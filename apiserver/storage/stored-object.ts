import type { KubeObject } from '../control/kube-object.js';
import { encodeJson, isRecord, parseJson } from '../json.js';
import { encodeMessage } from '../protobuf/encode-message.js';
import { selectableField } from '../selectors/selectable-field.js';

/** The last content of one object at one revision. Immutable; the server keeps objects as bytes and parses on demand. */
export interface StoredObject {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly uid: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The value of a field that selectors may name, as text; empty if it is not there. */
  field(path: string): string;
  /** How many bytes `writeItem` writes. */
  readonly itemLength: number;
  /** Writes the object as a list of its kind shows it and returns the offset behind it. */
  writeItem(target: Buffer, offset: number): number;
  item(): Buffer;
  /** How many bytes `writeProtobuf` writes. */
  protobufLength(message: string): number;
  /** Writes the object as that message, without an envelope, and returns the offset behind it. */
  writeProtobuf(message: string, target: Buffer, offset: number): number;
  /** A fresh parse, free to be changed: kind and apiVersion are there only if the list shows them. */
  parse(): KubeObject;
  /** The same content under another resourceVersion, as a DELETED event carries it. */
  withRevision(revision: number): StoredObject;
}

export class EncodedObject implements StoredObject {
  readonly key: string;
  readonly uid: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly #item: Buffer;
  /** Made on first use, of a message that never changes: a resource is stored in one version. */
  #protobuf: Buffer | undefined;

  /** `object` is in the form of a list item and carries its resourceVersion. */
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
