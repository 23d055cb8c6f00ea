import { setOwn } from '../../../src/kube/object.js';
import {
  isNullable,
  type ProtobufField,
  type ProtobufMessage,
  protobufMessage,
} from '../../../src/kube/protobuf-schema/protobuf-message.js';
import { ProtobufError, WIRE_TYPES, WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import type { Content, MessageContent, Messages } from './content.js';
import type { DropTree } from './drop-tree.js';
import { contentOf, emptyContent, jsonOf, wireTypeOf } from './field-content.js';
import { goString } from './go-format.js';
import { UnknownFields } from './unknown-fields.js';

export interface ReadOptions {
  /** The maximum nesting of the object, as JSON. */
  readonly maxDepth: number;
  /** Of the stream. @default counts them */
  readonly unknownFields?: UnknownFields;
}

const byNumber = new WeakMap<ProtobufMessage, ReadonlyMap<number, ProtobufField>>();

/**
 * Reads a message into the object that JSON would give: the reference, slow and simple, which accepts all that Go
 * accepts. Of a repeated field the last value counts; lists and maps continue, messages are merged. Throws a
 * `ProtobufError` for anything that is not such a message.
 */
export class MessageReader implements Messages {
  readonly #maxDepth: number;
  readonly #unknownFields: UnknownFields;
  /** The names of the fields that are being read, without the keys of maps, which are data. */
  readonly #path: string[] = [];

  constructor(options: ReadOptions) {
    this.#maxDepth = options.maxDepth;
    this.#unknownFields = options.unknownFields ?? new UnknownFields();
  }

  /** How many unknown fields were skipped so far. */
  get unknownFields(): number {
    return this.#unknownFields.count;
  }

  /**
   * `name` is one of the schema's, `path` where the message is, if not at the top. Dropped fields are skipped, whatever
   * they contain. Throws a `StreamFailure` if an unknown field is to end the stream.
   */
  read(
    name: string,
    bytes: Uint8Array,
    drops?: DropTree,
    path: readonly string[] = [],
  ): Record<string, unknown> {
    const message = protobufMessage(name);
    const content: MessageContent = new Map();
    this.#path.splice(0, this.#path.length, ...path);
    this.merge(message, content, new WireReader(bytes), 1, drops);
    return this.finish(message, content, 1);
  }

  merge(
    message: ProtobufMessage,
    content: MessageContent,
    reader: WireReader,
    depth: number,
    drops?: DropTree,
  ): void {
    this.checkDepth(depth);
    const fields = fieldsOf(message);
    while (!reader.isDone) {
      reader.readTag(message.name);
      const field = fields.get(reader.field);
      if (field === undefined) this.skip(reader, message.name);
      else this.#mergeField(field, content, reader, depth, drops);
    }
  }

  #mergeField(
    field: ProtobufField,
    content: MessageContent,
    reader: WireReader,
    depth: number,
    drops: DropTree | undefined,
  ): void {
    const { wireType } = reader;
    const expected = field.container === 'map' ? WIRE_TYPES.bytes : wireTypeOf(field.type);
    const isPacked =
      field.container === 'list' && expected !== WIRE_TYPES.bytes && wireType === WIRE_TYPES.bytes;
    if (wireType !== expected && !isPacked) {
      throw new ProtobufError('the message has a field of another type than its schema');
    }
    if (field.isInlined) {
      this.merge(
        protobufMessage(field.message as string),
        content,
        new WireReader(reader.bytes()),
        depth,
        drops,
      );
      return;
    }
    const drop = drops?.get(field.name);
    this.#path.push(field.container === 'one' ? field.name : `${field.name}[]`);
    if (drop === 'all') reader.skip();
    else if (field.container === 'list') {
      const elements = (content.get(field) as Content[] | undefined) ?? [];
      content.set(field, elements);
      const elementsReader = isPacked ? new WireReader(reader.bytes()) : reader;
      do {
        if (!isPacked || !elementsReader.isDone)
          elements.push(contentOf(field, undefined, elementsReader, this, depth + 1, drop));
      } while (isPacked && !elementsReader.isDone);
    } else if (field.container === 'map') {
      const entries = (content.get(field) as Map<string, Content> | undefined) ?? new Map<string, Content>();
      content.set(field, entries);
      this.#mergeEntry(field, entries, new WireReader(reader.bytes()), depth + 1, drop);
    } else content.set(field, contentOf(field, content.get(field), reader, this, depth, drop));
    this.#path.pop();
  }

  #mergeEntry(
    field: ProtobufField,
    entries: Map<string, Content>,
    reader: WireReader,
    depth: number,
    drops: DropTree | undefined,
  ): void {
    let key = '';
    let value: Content | undefined;
    while (!reader.isDone) {
      reader.readTag(field.name);
      const { field: number, wireType } = reader;
      if (number === 1 && wireType === WIRE_TYPES.bytes) key = goString(reader.bytes());
      else if (number === 2 && wireType === wireTypeOf(field.type)) {
        const drop = drops?.get(key);
        if (drop === 'all') {
          reader.skip();
          value = undefined;
        } else value = contentOf(field, undefined, reader, this, depth, drop);
      } else if (number <= 2) {
        throw new ProtobufError('the message has a map of another type than its schema');
      } else this.skip(reader, 'map entry');
    }
    // Of several equal keys the last one counts, as in Go.
    entries.set(key, value ?? emptyContent(field));
  }

  /**
   * The object in the field order of Go's JSON, with null for what it shows as null when it is nil, and without the
   * fields that it omits, or that the server does not know.
   */
  finish(message: ProtobufMessage, content: MessageContent, depth: number): Record<string, unknown> {
    this.checkDepth(depth);
    const object: Record<string, unknown> = {};
    this.#finishInto(object, message, content, depth);
    return object;
  }

  #finishInto(
    object: Record<string, unknown>,
    message: ProtobufMessage,
    content: MessageContent,
    depth: number,
  ): void {
    for (const field of message.fields) {
      if (field.isInlined) {
        this.#finishInto(object, protobufMessage(field.message as string), content, depth);
        continue;
      }
      const value = this.#valueOf(field, content.get(field), depth);
      if (value !== undefined) setOwn(object, field.name, value);
    }
  }

  /** Undefined if JSON omits it. */
  #valueOf(field: ProtobufField, content: Content | undefined, depth: number): unknown {
    if (content === undefined) return field.isOmittedWhenEmpty || !isNullable(field) ? undefined : null;
    if (field.container === 'list') {
      this.checkDepth(depth + 1);
      const elements = content as readonly Content[];
      if (elements.length === 0) return field.isOmittedWhenEmpty ? undefined : null;
      return elements.map((element) => jsonOf(field, element, this, depth + 1));
    }
    if (field.container === 'map') {
      this.checkDepth(depth + 1);
      const object: Record<string, unknown> = {};
      for (const [key, value] of content as Map<string, Content>) {
        setOwn(object, key, jsonOf(field, value, this, depth + 1));
      }
      return object;
    }
    const value = jsonOf(field, content, this, depth);
    return field.isOmittedWhenEmpty && !field.isPointer && isEmpty(value) ? undefined : value;
  }

  checkDepth(depth: number): void {
    if (depth > this.#maxDepth)
      throw new ProtobufError(`the object is nested deeper than ${this.#maxDepth} levels`);
  }

  skip(reader: WireReader, message: string): void {
    const { field: number } = reader;
    reader.skip();
    this.#unknownFields.add({ number, message, path: this.#path.join('.') });
  }

  get maxDepth(): number {
    return this.#maxDepth;
  }
}

function fieldsOf(message: ProtobufMessage): ReadonlyMap<number, ProtobufField> {
  const known = byNumber.get(message);
  if (known !== undefined) return known;
  const fields = new Map(message.fields.map((field) => [field.number, field]));
  byNumber.set(message, fields);
  return fields;
}

function isEmpty(value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    value === null ||
    (Array.isArray(value) && value.length === 0)
  );
}
