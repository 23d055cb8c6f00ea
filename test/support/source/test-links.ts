import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** `[test](../test/….test.ts "name of the test")` */
const LINK = /\[test\]\((\S+) "([^"]+)"\)/g;

/** Checks that every linked test exists, and returns the number of links; they are relative to `base`. */
export function expectTestsOf(markdown: string, base: URL): number {
  const links = [...markdown.matchAll(LINK)];
  for (const [, path = '', name = ''] of links) {
    const file = new URL(path, base);
    expect(existsSync(file), file.pathname).toBe(true);
    const call = new RegExp(`\\(\\s*['"\`]${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"\`],`);
    expect(call.test(readFileSync(file, 'utf8')), `a test called "${name}" in ${file.pathname}`).toBe(true);
  }
  return links.length;
}
