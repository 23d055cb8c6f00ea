/** Protobuf schemas of several releases of Kubernetes, in the format of docs/decisions/protobuf-schema.md. */

export interface Schema {
  /** By group and version: the package of its messages, and its kinds, each with `=` and its message if needed. */
  readonly kinds: ReadonlyMap<string, readonly string[]>;
  /** By name. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
}

/** Kinds, an empty line, messages. */
export function parseSchema(text: string): Schema {
  const [kinds = '', messages = ''] = text.trimEnd().split('\n\n');
  return { kinds: readLines(kinds), messages: readLines(messages) };
}

export function schemaText({ kinds, messages }: Schema): string {
  return `${writeLines(kinds)}\n\n${writeLines(messages)}\n`;
}

/**
 * The kinds, messages and fields of an older release that a newer schema has not. Fields that were removed from a
 * message are omitted from JSON when they are not sent.
 */
export function removedSince(older: Schema, newer: Schema): Schema {
  const kinds = new Map<string, readonly string[]>();
  for (const [version, [packageName = '', ...tokens]] of older.kinds) {
    const [newerPackage, ...known] = newer.kinds.get(version) ?? [packageName];
    if (newerPackage !== packageName) throw new Error(`${version} is in another package than before`);
    const names = new Set(known.map((token) => token.split('=')[0]));
    const removed = tokens.filter((token) => !names.has(token.split('=')[0]));
    if (removed.length > 0) kinds.set(version, [packageName, ...removed]);
  }
  const messages = new Map<string, readonly string[]>();
  for (const [name, fields] of older.messages) {
    const known = newer.messages.get(name);
    const numbers = new Set(known?.map(numberOf));
    const removed = fields.filter((field) => !numbers.has(numberOf(field)));
    if (known === undefined) messages.set(name, fields);
    else if (removed.length > 0) messages.set(name, removed.map(optional));
  }
  return { kinds, messages };
}

/** A schema with what was removed from it. */
export function withRemoved(schema: Schema, removed: Schema): Schema {
  const kinds = new Map(schema.kinds);
  for (const [version, [packageName = '', ...tokens]] of removed.kinds) {
    const [, ...own] = kinds.get(version) ?? [packageName];
    kinds.set(version, [packageName, ...[...own, ...tokens].sort(compare)]);
  }
  const messages = new Map(schema.messages);
  for (const [name, fields] of removed.messages)
    messages.set(name, [...(messages.get(name) ?? []), ...fields]);
  return { kinds, messages };
}

function readLines(text: string): ReadonlyMap<string, readonly string[]> {
  if (text === '') return new Map();
  return new Map(
    text.split('\n').map((line) => {
      const [name = '', ...tokens] = line.split(' ');
      return [name, tokens];
    }),
  );
}

function writeLines(lines: ReadonlyMap<string, readonly string[]>): string {
  const names = [...lines.keys()].sort(compare);
  return names.map((name) => [name, ...(lines.get(name) ?? [])].join(' ')).join('\n');
}

/** Servers that do not have the field have no null for it in JSON either. */
function optional(field: string): string {
  return field.replace(/^([^?*:]*)\??/, '$1?');
}

function numberOf(field: string): string {
  return /:(\d+)/.exec(field)?.[1] ?? '';
}

/** As Go sorts strings, independent of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
