/** One row of the table that every class of client-node's models has. */
interface Attribute {
  readonly name: string;
  readonly baseName: string;
}

interface Model {
  readonly getAttributeTypeMap?: () => readonly Attribute[];
}

/**
 * What client-node's list functions return, as it was on the wire: plain objects, the API's field names (its classes call `continue`
 * `_continue`), text for dates.
 */
export function wireForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wireForm);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  const model = value.constructor as Model | undefined;
  const names = new Map(model?.getAttributeTypeMap?.().map(({ name, baseName }) => [name, baseName]));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [names.get(name) ?? name, wireForm(field)]));
}
