import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectTestsOf } from '../support/source/test-links.js';

const root = new URL('../../', import.meta.url);
const items = readFileSync(new URL('SECURITY.md', root), 'utf8')
  .split('\n')
  .filter((line) => /^\d+\. /.test(line));

describe('SECURITY.md', () => {
  it('has every item of the checklist', () => {
    expect(items.map((item) => Number.parseInt(item, 10))).toEqual(
      Array.from({ length: 26 }, (_, i) => i + 1),
    );
  });

  it.each(items)('links to tests that exist: %s', (item) => {
    const tests = expectTestsOf(item, root);
    if (tests === 0) expect(item, 'a link to a test, or a reason').toContain('No test:');
  });
});
