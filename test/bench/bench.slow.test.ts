import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileBench } from './compiled-bench.js';

interface Written {
  header: { case: string; command: string; cores: number; node: string };
  results: Record<string, { count?: number; bytes?: number; encoding: string }[]>;
}

const QUICK = ['--rounds', '1', '--warm-up-events', '200'];

let folder = '';
let bench: (...args: string[]) => Promise<string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
  bench = await compileBench();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a report has the command, the results and encodings of all contenders, and plots for light and dark pages', async () => {
  const [json, html] = [join(folder, 'sync.json'), join(folder, 'sync.html')];
  const args = ['sync', '--objects', '300', '--rounds', '2', '--warm-up', '0', '--peer', 'socket'];
  const stdout = await bench(...args, '--json', json, '--html', html);
  expect(stdout).toContain(`npm run bench -- ${args.join(' ')}`);
  expect(stdout).toMatch(/^\| kubeflect \| protobuf \| .+\|$/m);

  const { header, results } = JSON.parse(readFileSync(json, 'utf8')) as Written;
  expect(header).toMatchObject({ case: 'sync', node: process.version });
  expect(Object.keys(results)).toEqual(['kubeflect', 'socket']);
  expect(results['kubeflect']?.map(({ count }) => count)).toEqual([300, 300]);
  expect(results['kubeflect']?.map(({ encoding }) => encoding)).toEqual(['protobuf', 'protobuf']);
  expect(new Set(results['socket']?.map(({ bytes }) => bytes)).size).toBe(1);

  const page = readFileSync(html, 'utf8');
  expect(page.match(/<svg /g)).toHaveLength(6);
  expect(page).toContain('prefers-color-scheme: dark');
  expect(page).not.toMatch(/<(script|link)|https?:\/\/(?!www\.w3\.org\/)/);
}, 120_000);

test('the watch case delivers every event to the handlers of each contender', async () => {
  const json = join(folder, 'watch.json');
  const args = ['watch', '--objects', '200', '--rates', '500', '--seconds', '1', ...QUICK];
  // Targets that so short a run does not meet make it exit with 1, after the file is written.
  await bench(...args, '--peer', 'client-node', '--json', json).catch(() => {});
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: Record<string, unknown> };
  // Nothing is merged while the handler keeps up, and a lost or wrong event fails the run.
  expect(results).toMatchObject({
    'kubeflect-json 500': [{ handledShare: expect.closeTo(1, 0), relists: 0 }],
    'kubeflect-protobuf 500': [{ handledShare: expect.closeTo(1, 0), relists: 0 }],
    'client-node 500': [{ handledShare: 1, relists: 0 }],
  });
}, 120_000);

test('the watch case measures until reconcile is called, and as fast as it goes', async () => {
  const json = join(folder, 'reconcile.json');
  const args = ['watch', '--objects', '200', '--rates', '200,max', '--seconds', '1', ...QUICK];
  await bench(...args, '--handler', 'reconcile', '--encoding', 'json', '--json', json).catch(() => {});
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: Record<string, unknown> };
  expect(results).toMatchObject({
    'kubeflect 200': [{ p50Ms: expect.any(Number), p99Ms: expect.any(Number) }],
    'kubeflect max': [{ handledPerSecond: expect.any(Number), stallMs: expect.any(Number) }],
  });
}, 120_000);

test('the idle case samples CPU, wake-ups and memory of each contender', async () => {
  const json = join(folder, 'idle.json');
  const times = ['--settle', '0', '--seconds', '1', '--rounds', '1'];
  await bench(
    'idle',
    '--informers',
    '1,3',
    '--objects',
    '5',
    ...times,
    '--peer',
    'client-node',
    '--json',
    json,
  ).catch(() => {});
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: Record<string, unknown> };
  const sample = { cpuPerSecond: expect.any(Number), wakeUpsPerSecond: expect.any(Number) };
  expect(results).toEqual(
    Object.fromEntries(
      ['kubeflect 1', 'client-node 1', 'kubeflect 3', 'client-node 3'].map((name) => [
        name,
        [{ ...sample, residentMB: expect.any(Number) }],
      ]),
    ),
  );
}, 120_000);

test('the small case measures each contender from the start of its process', async () => {
  const json = join(folder, 'small.json');
  const args = ['small', '--objects', '20,40', '--rounds', '1', '--warm-up', '0', '--peer', 'client-node'];
  await bench(...args, '--json', json);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: Record<string, { syncedMs: number }[]>;
  };
  expect(Object.keys(results)).toEqual(['kubeflect 20', 'client-node 20', 'kubeflect 40', 'client-node 40']);
  for (const [result] of Object.values(results)) expect(result?.syncedMs).toBeGreaterThan(0);
}, 120_000);

test('the slow-reader case reads the whole cache while events arrive', async () => {
  const json = join(folder, 'slow-reader.json');
  const args = ['slow-reader', '--objects', '200', '--rate', '200', '--seconds', '1', ...QUICK];
  await bench(...args, '--json', json).catch(() => {});
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: Record<string, { objectsReadPerSecond: number; handledShare: number }[]>;
  };
  expect(Object.keys(results)).toEqual(
    ['none', 'scan', 'entries', 'list'].map((name) => `kubeflect ${name}`),
  );
  expect(results['kubeflect none']?.[0]?.objectsReadPerSecond).toBe(0);
  for (const reader of ['scan', 'entries', 'list'])
    expect(results[`kubeflect ${reader}`]?.[0]?.objectsReadPerSecond).toBeGreaterThan(200);
}, 120_000);

test.each([
  ['fifo', []],
  ['indexer', []],
  ['split', []],
  ['codec', ['--objects', '100']],
] as const)(
  'the %s case reports min, median, p99 and max of each task',
  async (name, args) => {
    const stdout = await bench(name, ...args, '--time', '10');
    expect(stdout).toMatch(/min, .* median, .* p99, .* max, /);
    expect(stdout).toMatch(/^\| [^|]+( \| \d+\.\d{3}){4} \|/m);
  },
  120_000,
);

test('an unknown contender, server or option is rejected', async () => {
  for (const [args, message] of [
    [['--peer', 'nobody'], 'unknown contender nobody; expected one of kubeflect, '],
    [['--server', 'nowhere'], 'unknown server nowhere; expected one of embedded, real, kubeconfig'],
    [['--rounds', '0'], '--rounds must be a whole number from 1, got "0"'],
    [['--page-size', 'many'], '--page-size must be a whole number from 1, got "many"'],
    [['--encoding', 'yaml'], '--encoding must be one of auto, json, protobuf, got "yaml"'],
    [['--object', '2'], "Unknown option '--object'"],
  ] as const) {
    await expect(bench('sync', '--objects', '1', ...args)).rejects.toThrow(message);
  }
  for (const [args, message] of [
    [['--peer', 'nobody'], 'unknown contender nobody; expected one of client-node, client-go, '],
    [['--rates', 'fast'], '--rates must be a whole number from 1, got "fast"'],
    [['--handler', 'none'], '--handler must be one of key, object, reconcile, got "none"'],
  ] as const) {
    await expect(bench('watch', '--objects', '1', ...args)).rejects.toThrow(message);
  }
}, 120_000);

test('the shards case runs one process per shard, which together hold every object once', async () => {
  const json = join(folder, 'shards.json');
  await bench('shards', '--objects', '400', '--processes', '1,3', '--json', json);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as Written;
  expect(Object.keys(results)).toEqual(['on 1', 'on 3', 'off 1', 'off 3']);
  for (const shards of Object.values(results)) {
    expect(shards.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(400);
  }
}, 120_000);
