import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

/** `requests/`, `endpoints/list.ts`, `test/conformance`: relative to apiserver/ or to the root. */
const PATH = /`((?:[a-z-]+\/)+(?:[a-z-]+(?:\.test)?\.ts)?|[a-z-]+\.ts|(?:test|src|scripts)\/[a-z/-]+)`/g;

it('apiserver/README.md names only files and folders that exist', () => {
  const readme = readFileSync(join(ROOT, 'apiserver/README.md'), 'utf8');
  const paths = [...readme.matchAll(PATH)].map(([, path = '']) => path);
  const missing = paths.filter(
    (path) => !existsSync(join(ROOT, 'apiserver', path)) && !existsSync(join(ROOT, path)),
  );
  expect(paths.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
