/** One row of `getAttributeTypeMap`, which every class of client-node's models has. */
interface Attribute {
  readonly name: string;
  readonly baseName: string;
}

interface Model {
  readonly getAttributeTypeMap?: () => readonly Attribute[];
}

/**
 * A copy of an object as JSON has it: plain objects without undefined fields, dates as the API writes them, and the API's
 * field names. Clients have classes with `Date`s, client-node's has `_from` for `from`; and their objects may be changed
 * later.
 */
export function plainCopy<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Array.isArray(value)) return value.map(copyOf);
  const model = Object.getPrototypeOf(value)?.constructor as Model | undefined;
  const names = new Map(model?.getAttributeTypeMap?.().map(({ name, baseName }) => [name, baseName]));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [names.get(name) ?? name, copyOf(field)]),
  );
}
