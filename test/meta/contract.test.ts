import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const docs = new URL('../../docs/', import.meta.url);
const contract = readFileSync(new URL('contract.md', docs), 'utf8');
const sentences = contract.split('\n').filter((line) => line.startsWith('- '));

/** `[test](../test/….test.ts "name of the test")` */
function links(sentence: string): { file: URL; name: string }[] {
  return [...sentence.matchAll(/\[test\]\((\S+) "([^"]+)"\)/g)].map(([, path = '', name = '']) => ({
    file: new URL(path, docs),
    name,
  }));
}

describe('docs/contract.md', () => {
  it('has promises', () => {
    expect(sentences.length).toBeGreaterThan(40);
  });

  it.each(sentences)('%s', (sentence) => {
    const held = links(sentence);
    expect(held.length, 'a link to a test').toBeGreaterThan(0);
    for (const { file, name } of held) {
      expect(existsSync(file), file.pathname).toBe(true);
      const call = new RegExp(`\\(\\s*['"]${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"],`);
      expect(call.test(readFileSync(file, 'utf8')), `a test called "${name}" in ${file.pathname}`).toBe(true);
    }
  });
});
