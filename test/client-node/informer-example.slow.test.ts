import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from 'kubeflect';
import { ListWatch } from 'kubeflect/client-node';
import { type RequestRecord, startApiServer } from 'kubeflect/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

/** When the example starts its informer again after an error; and when it does so here. */
const RESTART_MS = 5000;
const SHORTENED_MS = 500;

test('the published example works through cuts, a 410, a throwing handler and a stop, with one watch at a time', async () => {
  const server = await startApiServer({ historyEvents: 5 });
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-example-'));
  onTestFinished(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await server.close();
  });
  writeFileSync(join(folder, 'config'), server.kubeConfig);
  vi.stubEnv('KUBECONFIG', join(folder, 'config'));
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    if (line === 'Added: broken') throw new Error('the handler of the example failed');
    printed.push(line);
  });
  const errors: Error[] = [];
  vi.spyOn(console, 'error').mockImplementation((error: Error) => void errors.push(error));
  const schedule = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms?: number) =>
    schedule(callback, ms === RESTART_MS ? SHORTENED_MS : ms)) as typeof setTimeout);
  const start = vi.spyOn(ListWatch.prototype, 'start');
  const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name });
  const create = (name: string) =>
    server.create({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } },
      spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
    });
  const watches = async (): Promise<RequestRecord[]> =>
    (await server.requests()).filter(({ verb }) => verb === 'watch');
  const lists = async (): Promise<number> =>
    (await server.requests()).filter(({ verb }) => verb === 'list').length;
  const isPrinted = (...lines: string[]): Promise<void> =>
    expect.poll(() => printed, { timeout: 15_000 }).toEqual(expect.arrayContaining(lines));

  const first = await create('pod-1');
  // Three watches show one event and are cut in the middle of the next, which the watch after them has to bring.
  const afterBytes = JSON.stringify({ type: 'ADDED', object: first }).length + 100;
  await server.faults.add({ match: { verb: 'watch' }, count: 3, fault: { type: 'cut', afterBytes } });
  await import('./informer-example.js');
  await isPrinted('Added: pod-1');
  await create('pod-2');
  for (const [i, name] of ['pod-3', 'pod-4', 'pod-5'].entries()) {
    await isPrinted(`Added: pod-${i + 2}`);
    await create(name);
  }
  await isPrinted('Added: pod-5');
  expect((await watches()).map(({ faults }) => faults)).toEqual([['cut'], ['cut'], ['cut'], []]);
  expect(await lists()).toBe(1);

  // One callback throws: the next ones are called as ever.
  await create('broken');
  await server.patch(pod('broken'), { metadata: { labels: { is: 'mended' } } });
  await isPrinted('Updated: broken');

  // The history ends while no watch is open: 410, and a list.
  await server.faults.add({ match: { verb: 'watch' }, count: 1, fault: { type: 'refuse', forMs: 500 } });
  await server.closeWatches();
  await server.delete(pod('pod-1'));
  for (let i = 0; i < 10; i++) await server.patch(pod('pod-2'), { metadata: { labels: { i: `${i}` } } });
  await isPrinted('Deleted: pod-1', 'Updated: pod-2');
  expect(await lists()).toBe(2);

  await (start.mock.contexts[0] as ListWatch<KubernetesObject>).stop();
  const asked = (await server.requests()).length;
  await create('after');
  // Every restart that an error could have set off is over by then.
  await sleep(2 * SHORTENED_MS);

  expect(start.mock.calls.length).toBeGreaterThan(1);
  expect(errors.map((error) => (error as { code?: unknown }).code)).toContain('KUBEFLECT_HANDLER_FAILED');
  expect((await server.requests()).length).toBe(asked);
  expect((await server.counters()).openWatches).toBe(0);
  expect(printed.filter((line) => line.startsWith('Added:'))).toEqual(
    [1, 2, 3, 4, 5].map((number) => `Added: pod-${number}`),
  );
  const ends = (await watches()).map(({ startedMs, endedMs = Number.NaN }) => [startedMs, endedMs] as const);
  for (const [i, [startedMs]] of ends.entries())
    expect(startedMs).toBeGreaterThanOrEqual(ends[i - 1]?.[1] ?? 0);
});
