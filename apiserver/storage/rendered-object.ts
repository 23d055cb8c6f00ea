import type { KubeObject } from '../control/kube-object.js';
import type { RenderedSet } from '../generators/rendered-set.js';
import { parseJson } from '../json.js';
import { selectableField } from '../selectors/selectable-field.js';
import type { StoredObject } from './stored-object.js';

/** One object of a populated set: an index, a revision and a count of changes; its bytes are rendered on demand. */
export class RenderedObject implements StoredObject {
  readonly set: RenderedSet;
  readonly index: number;
  readonly revision: number;
  /** How often churn changed it: each count renders different content. */
  readonly mutation: number;

  constructor(set: RenderedSet, index: number, revision: number, mutation: number) {
    this.set = set;
    this.index = index;
    this.revision = revision;
    this.mutation = mutation;
  }

  get key(): string {
    return this.set.keyAt(this.index);
  }

  get uid(): string {
    return this.set.uidAt(this.index);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.set.headerAt(this.index).labels;
  }

  field(path: string): string {
    // Parsing every object of a large set for its name would take seconds.
    if (path === 'metadata.name') return this.key.slice(this.key.lastIndexOf('/') + 1);
    if (path === 'metadata.namespace') return this.key.slice(0, Math.max(0, this.key.lastIndexOf('/')));
    return this.set.fieldAt(this.index, path) ?? selectableField(this.parse(), path, false);
  }

  get itemLength(): number {
    return this.set.itemLength(this.index, this.revision, this.mutation);
  }

  writeItem(target: Buffer, offset: number): number {
    return this.set.renderInto(target, offset, this.index, this.revision, this.mutation);
  }

  item(): Buffer {
    return this.set.itemBytes(this.index, this.revision, this.mutation);
  }

  protobufLength(): number {
    return this.set.protobufLength(this.index, this.revision, this.mutation);
  }

  writeProtobuf(_message: string, target: Buffer, offset: number): number {
    return this.set.renderProtobufInto(target, offset, this);
  }

  parse(): KubeObject {
    return parseJson(this.item().toString()) as KubeObject;
  }

  withRevision(revision: number): StoredObject {
    return new RenderedObject(this.set, this.index, revision, this.mutation);
  }
}
