import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-commit-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function runHook(message: string): { status: number | null; stderr: string } {
  const file = join(folder, 'message');
  writeFileSync(file, message);
  return spawnSync(join(ROOT, '.githooks/commit-msg'), [file], { encoding: 'utf8' });
}

describe('the commit-msg hook', () => {
  it.each([
    'workers: name the gzip step\n',
    'client-node: map Date fields\n\nBecause its types promise them.\n',
    `docs: ${'x'.repeat(66)}\n`,
    "Merge branch 'main' into cli\n",
    'Revert "workers: name the gzip step"\n',
  ])('accepts %j', (message) => {
    expect(runHook(message)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['no area', 'name the gzip step\n', 'expected "area: imperative"'],
    ['a full stop at the end', 'workers: name the gzip step.\n', 'expected "area: imperative"'],
    ['nothing after the area', 'workers:\n', 'expected "area: imperative"'],
    ['more than 72 characters', `docs: ${'x'.repeat(67)}\n`, 'at most 72 characters, got 73'],
  ])('rejects a subject with %s', (_, message, reason) => {
    expect(runHook(message)).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
  });
});
