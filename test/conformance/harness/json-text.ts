/** JSON as Go's encoder writes it: key order of the input, compact, with its own set of escapes. */

const ESCAPED = /[<>&\u2028\u2029]/g;

export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The keys of every object in JSON text, in the order of the text, as `path.to.object: a,b,c` lines. */
export function keyOrder(text: string, ...path: readonly (string | number)[]): string[] {
  let value: unknown = JSON.parse(text);
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  if (typeof value !== 'object' || value === null) throw new Error(`no object at ${path.join('.')}`);
  return Object.keys(value);
}
