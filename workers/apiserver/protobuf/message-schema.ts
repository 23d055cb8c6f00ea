/** The tables of Go structs and of field numbers, joined on first use. */

import { PROTOBUF_FIELDS } from '../schemas/protobuf-fields.js';
import { type FieldSchema, structSchema } from '../schemas/struct-schema.js';

/** What may stand where a schema could: a list of schemas, a boolean, strings. */
export type SchemaUnion = 'schemas' | 'bool' | 'strings';

export interface TableField {
  readonly type: 'field';
  readonly field: FieldSchema;
  /** Set where the struct of the field, or of its elements, is such a union. */
  readonly union: SchemaUnion | undefined;
}

/** A message whose fields JSON shows in its place. */
export interface InlinedMessage {
  readonly type: 'inlined';
  readonly fields: MessageSchema;
}

/** By field number. */
export type MessageSchema = ReadonlyMap<number, TableField | InlinedMessage>;

type Fields = Map<number, TableField | InlinedMessage>;

const UNIONS: Readonly<Record<string, SchemaUnion>> = { a: 'schemas', b: 'bool', s: 'strings' };

const joined = new Map<string, MessageSchema>();

export function messageSchema(struct: string): MessageSchema {
  const known = joined.get(struct);
  if (known !== undefined) return known;
  const schema = join(struct);
  joined.set(struct, schema);
  return schema;
}

function join(struct: string): MessageSchema {
  const fields = [...structSchema(struct).values()];
  const tokens = PROTOBUF_FIELDS[struct]?.split(' ').filter((token) => token !== '') ?? [];
  if (tokens.length !== fields.length) {
    throw new Error(
      `${struct} has ${fields.length} fields but ${tokens.length} numbers; this is a bug in protobuf-fields.ts`,
    );
  }
  const schema: Fields = new Map();
  for (const [index, field] of fields.entries()) {
    const [, path = '', union = ''] = /^([\d.]+)([abs]?)$/.exec(tokens[index] ?? '') ?? [];
    place(schema, path.split('.').map(Number), { type: 'field', field, union: UNIONS[union] });
  }
  return schema;
}

function place(schema: Fields, path: readonly number[], field: TableField): void {
  const [number = 0, ...rest] = path;
  if (rest.length === 0) {
    schema.set(number, field);
    return;
  }
  const there = schema.get(number);
  const inner: Fields = new Map(there?.type === 'inlined' ? there.fields : []);
  place(inner, rest, field);
  schema.set(number, { type: 'inlined', fields: inner });
}
