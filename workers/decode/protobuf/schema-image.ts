import { protobufMessageOfKind } from '../../../src/kube/protobuf-schema/protobuf-kind.js';
import {
  isNullable,
  type ProtobufField,
  type ProtobufMessage,
  type ProtobufType,
  protobufMessage,
} from '../../../src/kube/protobuf-schema/protobuf-message.js';
import type { SchemaAddress, Transcoder } from '../transcoder.js';

/** In the order of the kinds in workers/transcoder/protobuf/schema.ts; `none` is a field number without a field. */
const KINDS: readonly (readonly (ProtobufType | 'none' | 'inlined')[])[] = [
  ['none'],
  ['string'],
  ['bool'],
  ['int32'],
  ['int64'],
  ['float64'],
  ['bytes'],
  ['time'],
  ['micro-time'],
  ['duration'],
  ['quantity'],
  ['int-or-string'],
  ['raw-extension', 'raw-json'],
  ['string-list'],
  ['message'],
  ['inlined'],
  ['schema-or-array'],
  ['schema-or-bool'],
  ['schema-or-string-array'],
];

const REPETITIONS: readonly ProtobufField['container'][] = ['one', 'list', 'map'];

const VARINTS: ReadonlySet<ProtobufType> = new Set<ProtobufType>(['bool', 'int32', 'int64']);

const SCHEMA_BYTES = 24;
const MESSAGE_BYTES = 24;
const FIELD_BYTES = 28;

/** As many as the decoder has bits for, and more than any struct of Kubernetes has. */
const MAX_FIELDS = 64;

/** A message as the decoder needs it: an inlined one belongs to the object in which JSON shows its fields. */
interface Layout {
  readonly message: ProtobufMessage;
  readonly bits: ReadonlyMap<ProtobufField, number>;
  readonly lastNumber: number;
  /** Only for messages that are objects in JSON. */
  readonly fieldsByBit: readonly { readonly layout: Layout; readonly field: ProtobufField }[];
  /** Relative to the schema's start. */
  address: number;
  fieldsAddress: number;
  bitsAddress: number;
}

/** The message of a kind and all that it refers to, in the layout of workers/transcoder/protobuf/schema.ts. */
export class SchemaImage {
  readonly #root: Layout;
  readonly #objects = new Map<string, Layout>();
  readonly #inlined = new Map<Layout, Map<string, Layout>>();
  readonly #layouts: Layout[] = [];
  readonly #names = new Map<string, number>();
  readonly #fieldCount: number;
  readonly byteLength: number;

  constructor(messageName: string) {
    this.#root = this.#object(messageName);
    for (let i = 0; i < this.#layouts.length; i++) this.#follow(this.#layouts[i] as Layout);
    let at = SCHEMA_BYTES;
    for (const layout of this.#layouts) {
      layout.address = at;
      at += MESSAGE_BYTES;
    }
    const firstField = at;
    for (const layout of this.#layouts) {
      layout.fieldsAddress = at;
      at += (layout.lastNumber + 1) * FIELD_BYTES;
    }
    this.#fieldCount = (at - firstField) / FIELD_BYTES;
    for (const layout of this.#layouts) {
      layout.bitsAddress = at;
      at += layout.fieldsByBit.length * 4;
    }
    for (const { message } of this.#layouts) {
      for (const { name } of message.fields) {
        if (this.#names.has(name)) continue;
        this.#names.set(name, at);
        at += name.length;
      }
    }
    // Names are read in SIMD registers, which reach beyond their end.
    this.byteLength = (at + 79) & ~63;
  }

  /** Writes to memory that is zero from `start` on. */
  write(memory: Buffer, start: number): void {
    const [{ fieldsAddress: firstField }] = this.#layouts as [Layout];
    memory.writeUInt32LE(start + this.#root.address, start);
    memory.writeUInt32LE(this.#layouts.length, start + 4);
    memory.writeUInt32LE(this.#fieldCount, start + 8);
    memory.writeUInt32LE(start + firstField, start + 12);
    memory.writeUInt32LE(start + this.byteLength, start + 20);
    for (const layout of this.#layouts) this.#writeLayout(memory, start, layout);
    for (const [name, at] of this.#names) memory.write(name, start + at, 'latin1');
  }

  #writeLayout(memory: Buffer, start: number, layout: Layout): void {
    const at = start + layout.address;
    const required = layout.fieldsByBit.reduce(
      (bits, { field }, bit) =>
        field.isOmittedWhenEmpty || !isNullable(field) ? bits : bits | (1n << BigInt(bit)),
      0n,
    );
    memory.writeUInt32LE(layout.lastNumber, at);
    memory.writeUInt32LE(start + layout.fieldsAddress, at + 4);
    memory.writeBigUInt64LE(required, at + 8);
    memory.writeUInt32LE(start + layout.bitsAddress, at + 16);
    for (const field of layout.message.fields) this.#writeField(memory, start, layout, field);
    for (const [bit, { layout: owner, field }] of layout.fieldsByBit.entries()) {
      memory.writeUInt32LE(start + fieldAddress(owner, field), start + layout.bitsAddress + bit * 4);
    }
  }

  #writeField(memory: Buffer, start: number, layout: Layout, field: ProtobufField): void {
    const at = start + fieldAddress(layout, field);
    const { container, type, isPointer, isInlined, isOmittedWhenEmpty } = field;
    const isAlone = container === 'one';
    memory[at] = KINDS.findIndex((types) => types.includes(isInlined ? 'inlined' : type));
    memory[at + 1] = REPETITIONS.indexOf(container);
    memory[at + 2] = container === 'map' ? 2 : VARINTS.has(type) ? 0 : type === 'float64' ? 1 : 2;
    memory[at + 3] = isOmittedWhenEmpty && !isPointer && isAlone ? (type === 'float64' ? 2 : 1) : 0;
    memory[at + 5] = layout.bits.get(field) ?? 0;
    memory.writeUInt16LE(field.name.length, at + 6);
    memory.writeUInt32LE(start + (this.#names.get(field.name) ?? 0), at + 8);
    const message = this.#messageOf(layout, field);
    if (message !== undefined) memory.writeUInt32LE(start + message.address, at + 12);
  }

  #messageOf(layout: Layout, field: ProtobufField): Layout | undefined {
    if (field.message === undefined) return undefined;
    return field.isInlined ? this.#inlined.get(layout)?.get(field.message) : this.#objects.get(field.message);
  }

  #follow(layout: Layout): void {
    for (const field of layout.message.fields) {
      if (field.message !== undefined && !field.isInlined) this.#object(field.message);
    }
  }

  #object(name: string): Layout {
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const fieldsByBit: { layout: Layout; field: ProtobufField }[] = [];
    const layout = this.#layout(name, fieldsByBit);
    if (fieldsByBit.length > MAX_FIELDS)
      throw new Error(`${name} has more fields than the decoder has bits for`);
    this.#objects.set(name, layout);
    return layout;
  }

  #layout(name: string, fieldsByBit: { layout: Layout; field: ProtobufField }[], isInlined = false): Layout {
    const message = protobufMessage(name);
    const bits = new Map<ProtobufField, number>();
    const layout: Layout = {
      message,
      bits,
      lastNumber: Math.max(0, ...message.fields.map(({ number }) => number)),
      fieldsByBit: isInlined ? [] : fieldsByBit,
      address: 0,
      fieldsAddress: 0,
      bitsAddress: 0,
    };
    this.#layouts.push(layout);
    for (const field of message.fields) {
      if (field.isInlined && field.message !== undefined) {
        const inlined = this.#inlined.get(layout) ?? new Map<string, Layout>();
        this.#inlined.set(layout, inlined.set(field.message, this.#layout(field.message, fieldsByBit, true)));
      } else bits.set(field, fieldsByBit.push({ layout, field }) - 1);
    }
    return layout;
  }
}

function fieldAddress(layout: Layout, field: ProtobufField): number {
  return layout.fieldsAddress + field.number * FIELD_BYTES;
}

/** The images in the module's memory, one per kind: an image caches the keys of its kind's table. */
export class SchemaImages {
  readonly #transcoder: Transcoder;
  readonly #addresses = new Map<string, SchemaAddress>();

  constructor(transcoder: Transcoder) {
    this.#transcoder = transcoder;
  }

  /** Undefined for a kind without a message. */
  of(apiVersion: string, kind: string): SchemaAddress | undefined {
    const message = protobufMessageOfKind(apiVersion, kind);
    return message === undefined ? undefined : this.#load(`${apiVersion} ${kind}`, message);
  }

  /** For a kind of which only the metadata is requested. */
  ofMetadata(apiVersion: string, kind: string): SchemaAddress {
    return this.#load(`${apiVersion} ${kind} metadata`, 'meta.v1.PartialObjectMetadata');
  }

  #load(id: string, message: string): SchemaAddress {
    const existing = this.#addresses.get(id);
    if (existing !== undefined) return existing;
    const image = new SchemaImage(message);
    const address = this.#transcoder.exports.reserveSchema(image.byteLength);
    image.write(this.#transcoder.memory, address);
    this.#addresses.set(id, address);
    return address;
  }
}
