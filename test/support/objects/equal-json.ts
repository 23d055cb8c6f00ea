import { deepStrictEqual } from 'node:assert';

/** Equal in every respect that JSON.parse decides: values (−0 is not 0), own keys, their order, and plain prototypes. */
export function expectEqualJson(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected);
  deepStrictEqual(keyOrder(actual), keyOrder(expected));
}

function keyOrder(value: unknown): string {
  const keys: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      keys.push(key);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(value);
  return keys.join('\n');
}
