import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const RUN = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
const run = promisify(execFile);

interface Written {
  header: { case: string; command: string; cores: number; node: string };
  results: Record<string, { count?: number; digest?: string; bytes?: number; syncedMs: number }[]>;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a run tells how it was made, what every contender reached, and draws it for light and dark', async () => {
  const [json, html] = [join(folder, 'sync.json'), join(folder, 'sync.html')];
  const args = ['sync', '--objects', '300', '--rounds', '2', '--warm-up', '0', '--peer', 'socket'];
  const { stdout } = await run(process.execPath, [RUN, ...args, '--json', json, '--html', html]);
  expect(stdout).toContain(`npm run bench -- ${args.join(' ')}`);
  expect(stdout).toMatch(/^\| kubeflect \| .+\|$/m);

  const { header, results } = JSON.parse(readFileSync(json, 'utf8')) as Written;
  expect(header).toMatchObject({ case: 'sync', node: process.version });
  expect(Object.keys(results)).toEqual(['kubeflect', 'socket']);
  expect(results['kubeflect']?.map(({ count }) => count)).toEqual([300, 300]);
  expect(new Set(results['socket']?.map(({ bytes }) => bytes)).size).toBe(1);

  const page = readFileSync(html, 'utf8');
  expect(page.match(/<svg /g)).toHaveLength(6);
  expect(page).toContain('prefers-color-scheme: dark');
  expect(page).not.toMatch(/<(script|link)|https?:\/\/(?!www\.w3\.org\/)/);
}, 120_000);

test('a watch reaches the handler in full and leaves the cache as its server has it; small pieces are timed', async () => {
  const json = join(folder, 'watch.json');
  const args = ['watch', '--objects', '200', '--rates', '500', '--seconds', '1', '--rounds', '1'];
  await run(process.execPath, [RUN, ...args, '--warm-up', '0', '--json', json]);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: Record<string, unknown> };
  // Nothing is merged while everybody keeps up, and an event that was lost or wrong fails the run.
  expect(results).toMatchObject({ 500: [{ handledShare: expect.closeTo(1, 0) }] });

  for (const name of ['fifo', 'indexer', 'split']) {
    const { stdout } = await run(process.execPath, [RUN, name, '--time', '10']);
    expect(stdout).toMatch(/^\| [^|]+ \| \d+\.\d{3} \|/m);
  }
}, 120_000);

test('an unknown contender, server or option is refused', async () => {
  for (const [args, message] of [
    [['--peer', 'nobody'], 'there is no contender nobody'],
    [['--server', 'nowhere'], 'there is no server nowhere'],
    [['--rounds', '0'], '--rounds takes a whole number from 1'],
    [['--page-size', 'many'], '--page-size takes a whole number from 1'],
    [['--object', '2'], "Unknown option '--object'"],
  ] as const) {
    await expect(run(process.execPath, [RUN, 'sync', '--objects', '1', ...args])).rejects.toThrow(message);
  }
}, 120_000);
