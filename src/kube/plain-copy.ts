/**
 * A copy of an object as JSON has it: without undefined fields, with dates as the API writes them. Clients have models with
 * `Date`s, and their objects may be changed later.
 */
export function plainCopy<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, copyOf(field)]),
  );
}
