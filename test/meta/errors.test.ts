import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('docs/errors.md and the union of error codes name the same codes, each once', () => {
  const union = /export type ErrorCode =([^;]*);/.exec(read('src/util/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map((match) => match[1]);
  const headings = [...read('docs/errors.md').matchAll(/^### ([A-Z_]+)$/gm)].map((match) => match[1]);
  expect(codes.length).toBeGreaterThan(10);
  expect([...headings].sort()).toEqual([...codes].sort());
});
