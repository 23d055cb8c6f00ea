import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const [, whereToLook = ''] = document.split('## Where to look\n');
const rows = (whereToLook.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));

/** File and folder names in backticks; `kubeflect/…` is an entry of the package. */
function pathsIn(markdown: string): string[] {
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
  return quoted.filter((name) => /^[\w.-]+(\/[\w.-]+)+\/?$/.test(name) && !name.startsWith('kubeflect/'));
}

describe('docs/architecture.md', () => {
  it('names only files and folders that exist', () => {
    const paths = pathsIn(document);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names a file in every row of "Where to look"', () => {
    const [, , ...places] = rows;
    expect(places.length).toBeGreaterThanOrEqual(15);
    expect(places.filter((row) => pathsIn(row).length === 0)).toEqual([]);
  });
});
