/** A collection of any size as a few templates: every object is rendered from its index on demand. */

import { protobufMessageOfKind } from '../../src/kube/protobuf-schema/protobuf-kind.js';
import { compose } from './compose.js';
import type { Json, JsonObject } from './go-json.js';
import { kindBuilder } from './kind-builder.js';
import type { FieldSource } from './kind-profile.js';
import type { ResolvedPopulateSpec } from './populate-spec.js';
import { counterWidths, ProtobufTemplate } from './protobuf-template.js';
import { Template } from './template.js';
import { TemplateString } from './template-string.js';
import { VariableValues } from './variable-values.js';

/** The part of an object that selectors read. Mutations never change it. */
export interface RenderedHeader {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * By the API server's field label, e.g. `spec.nodeName`; unset fields are included as Go's zero value. A label
   * that is accepted but missing here, such as `status.podIPs`, is empty for every object on a real server as
   * well.
   */
  readonly fields: Readonly<Record<string, string>>;
}

interface Shape {
  readonly template: Template;
  /** The source of protobuf templates, kept as bytes: a string with private use characters takes twice the memory. */
  readonly quoted: Buffer;
  /** By the widths of counters; created on first use. */
  readonly protobuf: Map<number, ProtobufTemplate>;
  readonly parts: number;
  readonly labels: ReadonlyMap<string, TemplateString>;
  readonly fields: ReadonlyMap<string, TemplateString>;
}

/** Enough that neighbouring objects differ, few enough for a core's cache: 64 × 9 KB. */
const MAX_SHAPES = 64;
const MIN_SHAPES = 4;
/** Large objects get fewer templates: building them takes a second per 10 MB. */
const SHAPES_BYTES: number = 4 * 1024 * 1024;

/**
 * `count` objects without holding one. Everything is a pure function of the spec and of (index, revision, mutation):
 *
 * - Keys (`namespace/name`, or `name`) rise strictly with the index in byte order, so list order is index order.
 * - Object `i` is populated at revision `firstRevision + i` with mutation 0. A write is a new revision and a mutation
 *   one higher; the caller remembers both. Mutations change status and annotations, never labels or selectable fields.
 * - An item is one compact JSON object without a newline: as in lists, so without kind and apiVersion for typed kinds,
 *   with both and sorted keys for custom ones. `objectBytes` has both for all, as GET and watch events do.
 * - An index must be a whole number from 0 to count - 1, a revision and a mutation safe integers from 0: not checked,
 *   these calls being the hot path.
 *
 * Not safe for use by two threads at once, and no call may be made from within another.
 */
export class RenderedSet {
  readonly count: number;
  readonly firstRevision: number;
  readonly spec: ResolvedPopulateSpec;
  /** `"kind":"Pod","apiVersion":"v1",`: between the brace and the rest of a typed item; empty for custom kinds. */
  readonly typeMeta: Buffer;
  readonly #values: VariableValues;
  /** Created on first use. */
  readonly #shapes: (Shape | undefined)[];
  readonly #keyParts: number;
  readonly #uidParts: number;
  #maxItemBytes = 0;

  constructor(spec: ResolvedPopulateSpec, firstRevision: number) {
    this.spec = spec;
    this.count = spec.count;
    this.firstRevision = firstRevision;
    this.typeMeta = Buffer.from(
      spec.profile.origin === 'custom' ? '' : `"kind":"${spec.kind}","apiVersion":"${spec.apiVersion}",`,
    );
    this.#values = new VariableValues(spec);
    this.#keyParts = this.#values.partsOf(['name']);
    this.#uidParts = this.#values.partsOf(['uid']);
    const shapes = Math.max(MIN_SHAPES, Math.min(MAX_SHAPES, Math.floor(SHAPES_BYTES / spec.sizeBytes)));
    this.#shapes = new Array<Shape | undefined>(shapes).fill(undefined);
  }

  /** No item is larger, whatever its revision and mutation. Builds all templates: 0.1 s, once. */
  get maxItemBytes(): number {
    if (this.#maxItemBytes === 0) {
      for (let k = 0; k < this.#shapes.length; k++) {
        this.#maxItemBytes = Math.max(this.#maxItemBytes, this.#shape(k).template.maxBytes);
      }
    }
    return this.#maxItemBytes;
  }

  keyAt(index: number): string {
    this.#values.fill(this.#keyParts, index, 0);
    return this.#values.key();
  }

  /** -1 when the key is none of this set. */
  indexOf(key: string): number {
    const index = this.#values.names.candidate(key);
    return index >= 0 && this.keyAt(index) === key ? index : -1;
  }

  /** The first index whose key is not before `key` in byte order; `count` when all are. */
  lowerBound(key: string): number {
    let from = 0;
    let to = this.count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      // Our keys are ASCII, and next to ASCII the order of UTF-16 units is that of UTF-8 bytes.
      if (this.keyAt(middle) < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  uidAt(index: number): string {
    this.#values.fill(this.#uidParts, index, 0);
    return this.#values.string('uid');
  }

  /** Undefined when the object has no such label. */
  labelAt(index: number, label: string): string | undefined {
    return this.#shapeOf(index).labels.get(label)?.at(index);
  }

  /** Undefined for a field label that the kind does not have, metadata.name and metadata.namespace included. */
  fieldAt(index: number, fieldLabel: string): string | undefined {
    return this.#shapeOf(index).fields.get(fieldLabel)?.at(index);
  }

  headerAt(index: number): RenderedHeader {
    const shape = this.#shapeOf(index);
    this.#values.fill(this.#keyParts | this.#uidParts, index, 0);
    return {
      namespace: this.#values.string('namespace'),
      name: this.#values.string('name'),
      uid: this.#values.string('uid'),
      labels: stringsAt(shape.labels, index),
      fields: stringsAt(shape.fields, index),
    };
  }

  /** Length of `itemBytes` without rendering. */
  itemLength(index: number, revision: number, mutation: number): number {
    return this.#shapeOf(index).template.bytesFor(revision, mutation);
  }

  /** The buffer belongs to the caller, but may be a slice of Node's pool: never transfer it. */
  itemBytes(index: number, revision: number, mutation: number): Buffer {
    const item = Buffer.allocUnsafe(this.itemLength(index, revision, mutation));
    this.renderInto(item, 0, index, revision, mutation);
    return item;
  }

  /** The item with kind and apiVersion. */
  objectBytes(index: number, revision: number, mutation: number): Buffer {
    const extra = this.typeMeta.length;
    if (extra === 0) return this.itemBytes(index, revision, mutation);
    const object = Buffer.allocUnsafe(extra + this.itemLength(index, revision, mutation));
    this.renderInto(object, extra, index, revision, mutation);
    object[0] = 0x7b;
    object.set(this.typeMeta, 1);
    return object;
  }

  /** Renders the item at `offset` and returns the offset after it. `target` needs `itemLength` bytes from there. */
  renderInto(target: Buffer, offset: number, index: number, revision: number, mutation: number): number {
    const shape = this.#shapeOf(index);
    this.#values.fill(shape.parts, index, mutation);
    return shape.template.render(target, offset, this.#values, revision, mutation);
  }

  /** Length of what `renderProtobufInto` writes. */
  protobufLength(index: number, revision: number, mutation: number): number {
    return this.#protobufOf(this.#shapeOf(index), revision, mutation).length;
  }

  /** Renders the object as its kind's message and returns the offset after it. Only for kinds that have a message. */
  renderProtobufInto(
    target: Buffer,
    offset: number,
    object: { readonly index: number; readonly revision: number; readonly mutation: number },
  ): number {
    const shape = this.#shapeOf(object.index);
    const template = this.#protobufOf(shape, object.revision, object.mutation);
    this.#values.fill(shape.parts, object.index, object.mutation);
    return template.render(target, offset, this.#values, object);
  }

  #protobufOf(shape: Shape, revision: number, mutation: number): ProtobufTemplate {
    const widths = counterWidths(revision, mutation);
    const known = shape.protobuf.get(widths);
    if (known !== undefined) return known;
    const { apiVersion, kind } = this.spec;
    const message = protobufMessageOfKind(apiVersion, kind);
    if (message === undefined) throw new Error(`${kind} of ${apiVersion} has no protobuf`);
    const template = new ProtobufTemplate(message, shape.quoted.toString(), this.#values, {
      revision,
      mutation,
    });
    shape.protobuf.set(widths, template);
    return template;
  }

  #shapeOf(index: number): Shape {
    const { names } = this.#values;
    names.locate(index);
    // By group: pods of one replica set share a template.
    return this.#shape((names.namespace + names.group) % this.#shapes.length);
  }

  #shape(ordinal: number): Shape {
    return this.#shapes[ordinal] ?? this.#makeShape(ordinal);
  }

  #makeShape(ordinal: number): Shape {
    const { spec } = this;
    const { json, quoted, object } = compose(kindBuilder(spec.profile), spec, ordinal, this.#values);
    const template = new Template(json, this.#values);
    const metadata = object['metadata'] as JsonObject;
    const labels = (metadata['labels'] ?? {}) as Record<string, string>;
    const fields = Object.entries(spec.profile.fieldLabels).map(([label, source]): [string, string] => [
      label,
      valueAt(object, source),
    ]);
    const shape: Shape = {
      template,
      quoted: Buffer.from(quoted),
      protobuf: new Map(),
      parts: this.#values.partsOf(template.variables),
      labels: this.#strings(Object.entries(labels)),
      fields: this.#strings(fields),
    };
    this.#shapes[ordinal] = shape;
    return shape;
  }

  #strings(entries: readonly (readonly [string, string])[]): ReadonlyMap<string, TemplateString> {
    return new Map(entries.map(([name, template]) => [name, new TemplateString(template, this.#values)]));
  }
}

function stringsAt(strings: ReadonlyMap<string, TemplateString>, index: number): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, string] of strings) result[name] = string.at(index);
  return result;
}

/** The value as selectors compare it. */
function valueAt(object: JsonObject, source: FieldSource): string {
  let value: Json | undefined = object;
  for (const field of source.path.split('.')) value = (value as JsonObject | undefined)?.[field];
  return value === undefined ? source.unset : String(value);
}
