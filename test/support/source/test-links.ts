import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** `[test](../test/….test.ts "name of the test")` */
const LINK = /\[test\]\((\S+) "([^"]+)"\)/g;

/** How many tests a text links to, all of which must be there; `base` is where it stands. */
export function expectTestsOf(text: string, base: URL): number {
  const links = [...text.matchAll(LINK)];
  for (const [, path = '', name = ''] of links) {
    const file = new URL(path, base);
    expect(existsSync(file), file.pathname).toBe(true);
    const call = new RegExp(`\\(\\s*['"\`]${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"\`],`);
    expect(call.test(readFileSync(file, 'utf8')), `a test called "${name}" in ${file.pathname}`).toBe(true);
  }
  return links.length;
}
