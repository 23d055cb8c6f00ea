import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      { readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }
    >
  >;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;

it('the lock file has an entry for every optional package, including those of other platforms', () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies ?? {}),
  );
  const missing = wanted.filter(
    (name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
  );
  expect(
    missing,
    'npm left out what its registry did not have, and npm ci refuses such a lock file: add the entries with version, os, cpu, libc and optional',
  ).toEqual([]);
});

it('the lock file contains no download URL', () => {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http'));
  expect(
    named.map(([path]) => path),
    'omit-lockfile-registry-resolved=true is set in .npmrc for a reason',
  ).toEqual([]);
});
