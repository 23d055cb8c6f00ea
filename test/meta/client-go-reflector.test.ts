import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const text = readFileSync(join(ROOT, 'docs/client-go-reflector.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| client-go'));
const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const source = ['src/reflector', 'src/store', 'src/kube']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(ROOT, folder, file),
    ),
  )
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

describe('docs/client-go-reflector.md', () => {
  it('names files that exist', () => {
    const files = quoted(text).filter((name) => /\.ts$/.test(name) && !name.includes(' '));
    expect(files.length).toBeGreaterThan(15);
    const places = ['src/reflector', 'src', ''];
    expect(files.filter((file) => !places.some((place) => existsSync(join(ROOT, place, file))))).toEqual([]);
  });

  it('names identifiers that exist in the source', () => {
    const names = rows
      .flatMap((row) => quoted(row.split(' | ')[1] ?? ''))
      .flatMap((name) => name.match(/#?[A-Za-z][A-Za-z]{3,}/g) ?? [])
      .filter((name) => !/^(file|line|name|list|true|machine|watch|retry|store|queue|fifo)$/.test(name));
    expect(names.length).toBeGreaterThan(60);
    const missing = names.filter((name) => !source.includes(name.replace('#', '')));
    expect([...new Set(missing)]).toEqual([]);
  });
});
