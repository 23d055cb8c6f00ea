import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectTestsOf } from '../support/source/test-links.js';

const docs = new URL('../../docs/', import.meta.url);
const contract = readFileSync(new URL('contract.md', docs), 'utf8');
const sentences = contract.split('\n').filter((line) => line.startsWith('- '));

describe('docs/contract.md', () => {
  it('has more than forty sentences', () => {
    expect(sentences.length).toBeGreaterThan(40);
  });

  it.each(sentences)('links to tests that exist: %s', (sentence) => {
    expect(expectTestsOf(sentence, docs), 'a link to a test').toBeGreaterThan(0);
  });
});
