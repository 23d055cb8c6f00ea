import { execFile } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Engine,
  type EngineOptions,
  type InformerOptions,
  type SharedInformer,
  SnapshotError,
  type SnapshotOptions,
} from 'kubeflect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineFixture, Fold, PODS, type Pod } from '../../support/engine/engine-fixture.js';

const COUNT = 600;
const PODS_PATH = '/api/v1/pods';

let world: EngineFixture;
let directory: string;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: COUNT, nodes: 10, namespaces: 4 });
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeflect-'));
});
afterEach(async () => {
  await world.closeEngines();
  await rm(directory, { recursive: true, force: true });
});
afterAll(() => world.close());

interface Started {
  readonly engine: Engine;
  readonly pods: SharedInformer<Pod>;
  readonly fold: Fold;
}

function engineWith(snapshot: Partial<SnapshotOptions> = {}, options: Partial<EngineOptions> = {}): Engine {
  return world.engine({ ...options, snapshot: { directory, ...snapshot } });
}

/** Resolves when the informer and its handler have synced. */
async function started(
  engine: Engine = engineWith(),
  options: Partial<InformerOptions<Pod>> = {},
): Promise<Started> {
  const pods = engine.informer<Pod>({ ...PODS, ...options });
  const fold = new Fold();
  const registration = pods.addEventHandler(fold);
  pods.start();
  await pods.synced;
  await registration.synced;
  return { engine, pods, fold };
}

let changes = 0;

/** Changes the labels of one pod, and waits until the informer has it. */
async function change({ pods }: Pick<Started, 'pods'>): Promise<void> {
  const [pod] = pods.lister.list();
  const target = { ...PODS, name: pod?.metadata?.name ?? '', namespace: pod?.metadata?.namespace ?? '' };
  const changed = String(++changes);
  await world.server.patch(target, { metadata: { labels: { changed } } });
  await expect.poll(() => labelOf(pods, `${target.namespace}/${target.name}`)).toBe(changed);
}

function labelOf(pods: SharedInformer<Pod>, key: string): string | undefined {
  const metadata = pods.lister.get(key)?.metadata as { labels?: Record<string, string> } | undefined;
  return metadata?.labels?.['changed'];
}

/** Runs an engine until its cache is on the disk, and ends it. */
async function leaveSnapshot(
  snapshot: Partial<SnapshotOptions> = {},
  options: Partial<InformerOptions<Pod>> = {},
): Promise<string> {
  const first = await started(engineWith(snapshot), options);
  await change(first);
  await first.engine.close();
  const [name] = (await readdir(directory)).filter((file) => file.endsWith('.snapshot'));
  if (name === undefined) throw new Error('no snapshot was written');
  return join(directory, name);
}

async function requestsAfter(action: () => Promise<unknown>): Promise<{ list: number; watch: number }> {
  const before = await world.requestsOf(PODS_PATH);
  await action();
  const after = await world.requestsOf(PODS_PATH);
  return { list: after.list + after.stream - before.list - before.stream, watch: after.watch - before.watch };
}

const startsOf = (engine: Engine): string[] =>
  [...engine.metrics.text().matchAll(/snapshot_starts_total\{.*result="(\w+)"\} 1/g)].map(
    ([, result = '']) => result,
  );

const reasons = (): (string | undefined)[] =>
  world.errors.map((error) => (error instanceof SnapshotError ? error.reason : error.code));

/** Starts again, expecting a cold start for this reason, said once, and a correct cache all the same. */
async function expectColdStart(
  reason: string,
  engine: Engine = engineWith(),
  options: Partial<InformerOptions<Pod>> = {},
): Promise<void> {
  const { pods, fold } = await started(engine, options);
  expect(reasons()).toEqual([reason]);
  expect(world.errors[0]?.code).toMatch(/^KUBEFLECT_SNAPSHOT_(REJECTED|LOCKED)$/);
  expect(startsOf(engine)).toEqual([reason]);
  expect(pods.isWarm).toBe(false);
  if (Object.keys(options).length === 0) await world.converged(pods, PODS);
  expect(fold.notifications).toBe(pods.indexer.size);
  expect(fold.equals(pods)).toBe(true);
}

describe('an engine with a directory for snapshots', () => {
  it('starts from the cache of the engine before, without a list, and tells handlers each object once', async () => {
    await leaveSnapshot();
    const requests = await requestsAfter(async () => {
      const { engine, pods, fold } = await started();
      await world.converged(pods, PODS);
      expect(pods.isWarm).toBe(true);
      expect(startsOf(engine)).toEqual(['warm']);
      expect(fold.notifications).toBe(pods.indexer.size);
      expect(fold.equals(pods)).toBe(true);
      const newest = Math.max(...pods.lister.entries().map(({ resourceVersion }) => Number(resourceVersion)));
      await expect.poll(() => Number(pods.lastStoreSyncResourceVersion)).toBeGreaterThanOrEqual(newest);
    });
    expect(requests).toEqual({ list: 0, watch: 1 });
    expect(world.errors).toEqual([]);
  });

  it('starts warm again and again, also if nothing has changed, with what happened in between', async () => {
    await leaveSnapshot();
    for (let round = 0; round < 3; round++) {
      const { engine, pods, fold } = await started();
      expect(startsOf(engine)).toEqual(['warm']);
      await world.converged(pods, PODS);
      if (round === 1) await change({ pods });
      await engine.close();
      const [first, second] = pods.lister.list();
      const target = (pod: Pod | undefined) => ({
        ...PODS,
        name: pod?.metadata?.name ?? '',
        namespace: pod?.metadata?.namespace ?? '',
      });
      await world.server.patch(target(first), { metadata: { labels: { round: String(round) } } });
      await world.server.delete(target(second), { gracePeriodSeconds: 0 });
      expect(fold.notifications).toBeGreaterThan(0);
    }
    const { pods, fold } = await started();
    await world.converged(pods, PODS);
    await expect.poll(() => fold.equals(pods)).toBe(true);
    expect(world.errors).toEqual([]);
  });

  it('writes while it runs, so that a process that is killed starts warm, too', async () => {
    const { pods } = await started(engineWith({ everyMs: 100 }));
    await change({ pods });
    await expect.poll(() => readdir(directory)).toContainEqual(expect.stringMatching(/\.snapshot$/));
    // As a kill leaves it: the directory of a process that is still running is locked.
    const copy = await mkdtemp(join(tmpdir(), 'kubeflect-'));
    try {
      for (const name of await readdir(directory)) {
        if (name.endsWith('.snapshot')) await copyFile(join(directory, name), join(copy, name));
      }
      const other = await started(engineWith({ directory: copy }));
      expect(other.pods.isWarm).toBe(true);
      await world.converged(other.pods, PODS);
      await other.engine.close();
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  });

  it('writes nothing before an event has shown where the history of the server is', async () => {
    const { engine } = await started();
    await engine.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves files that only this user can read, and nothing else', async () => {
    const file = await leaveSnapshot();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('lists if the server no longer has the version', async () => {
    await leaveSnapshot();
    const outside = await started(world.engine());
    await change(outside);
    await outside.engine.close();
    await world.server.compact();
    await expectColdStart('expired');
  });

  it('lists if the snapshot is of another cluster', async () => {
    await leaveSnapshot();
    const other = await EngineFixture.start();
    try {
      await other.server.populate({ kind: 'Pod', count: 3, nodes: 1, namespaces: 1 });
      const engine = other.engine({ snapshot: { directory } });
      const pods = engine.informer(PODS);
      pods.start();
      await pods.synced;
      expect(pods.isWarm).toBe(false);
      await other.converged(pods, PODS);
      expect(other.errors).toMatchObject([{ code: 'KUBEFLECT_SNAPSHOT_REJECTED', reason: 'server' }]);
    } finally {
      await other.close();
    }
  });

  const HOOKS = 'data:text/javascript,export const zone = () => ["a"];';
  it.each<[string, Partial<InformerOptions<Pod>>]>([
    ['drop', { drop: [] }],
    ['labelSelector', { labelSelector: 'app' }],
    ['fieldSelector', { fieldSelector: 'spec.nodeName=node-1' }],
    ['namespace', { namespace: 'default' }],
    ['indexers', { indexers: { node: 'spec.nodeName' } }],
    ['hooks', { hooks: HOOKS }],
    ['metadataOnly', { metadataOnly: true }],
    ['encoding', { encoding: 'json' }],
    ['shard', { shard: { index: 0, of: 2 } }],
  ])('lists if the informer has another %s', async (name, options) => {
    await leaveSnapshot();
    await expectColdStart('options', engineWith(), options);
    expect(world.errors[0]?.message).toContain(name);
  });

  it.each<[string, string, (file: string) => Promise<void>]>([
    ['truncated', 'broken', async (file) => truncate(file, (await stat(file)).size - 100)],
    ['empty', 'broken', (file) => writeFile(file, '')],
    ['something else', 'broken', (file) => writeFile(file, 'x'.repeat(1000))],
    ['damaged in the middle', 'broken', (file) => flip(file, 0.5)],
    ['of another format', 'format', (file) => patchByte(file, 7, 9)],
    ['a symbolic link', 'permissions', linkElsewhere],
    ['writable by everybody', 'permissions', (file) => chmod(file, 0o666)],
    ['larger than allowed', 'size', async () => {}],
    ['of this package, but not encrypted as asked for', 'key', async () => {}],
  ])('lists if the file is %s', async (_, reason, damage) => {
    await damage(await leaveSnapshot());
    const options =
      reason === 'size' ? { maxBytes: 2048 } : reason === 'key' ? { key: new Uint8Array(32) } : {};
    await expectColdStart(reason, engineWith(options));
  });

  it('encrypts with a key, and starts with the same key only', async () => {
    const key = new Uint8Array(32).fill(7);
    const file = await leaveSnapshot({ key });
    expect((await readFile(file)).includes('node-')).toBe(false);
    const { engine } = await started(engineWith({ key }));
    expect(startsOf(engine)).toEqual(['warm']);
    await engine.close();
    await expectColdStart('key', engineWith({ key: new Uint8Array(32).fill(8) }));
  });

  it('leaves the directory to the engine that has it, and takes it over when that has ended', async () => {
    const first = await started();
    await change(first);
    const second = engineWith({ everyMs: 100 });
    await expectColdStart('locked', second);
    const before = await readdir(directory);
    await first.engine.close();
    const pods = second.informer<Pod>(PODS);
    await change({ pods });
    await expect.poll(() => second.metrics.text()).toMatch(/kubeflect_informer_snapshot_bytes\{.*\} [1-9]/);
    expect(before.filter((name) => name.endsWith('.snapshot'))).toEqual([]);
  });

  it('takes over the lock of a process that was killed', async () => {
    await leaveSnapshot();
    await killedHolder(directory);
    expect(await readdir(directory)).toContain('lock');
    const { engine } = await started();
    expect(startsOf(engine)).toEqual(['warm']);
  });

  it('removes files that nobody has written for a month', async () => {
    const file = await leaveSnapshot();
    const old = join(directory, 'pods.v1-of-former-options.snapshot');
    const other = join(directory, 'notes.txt');
    for (const path of [old, other]) {
      await copyFile(file, path);
      const seconds = Date.now() / 1000 - 31 * 24 * 3600;
      await utimes(path, seconds, seconds);
    }
    const { engine } = await started();
    expect(startsOf(engine)).toEqual(['warm']);
    expect(await readdir(directory)).not.toContain('pods.v1-of-former-options.snapshot');
    expect(await readdir(directory)).toContain('notes.txt');
  });

  it('starts warm if nothing has changed since the list, by the last event before it', async () => {
    const quiet = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
    for (const name of ['quiet-a', 'quiet-b', 'quiet-c']) await world.configMap(name);
    // The last event is one that no list shows.
    await world.deleteConfigMap('quiet-b');
    const first = engineWith({ everyMs: 100 });
    const before = first.informer(quiet);
    before.start();
    await before.synced;
    const written = /kubeflect_informer_snapshot_bytes\{.*\} [1-9]/;
    await expect.poll(() => first.metrics.text(), { timeout: 20_000 }).toMatch(written);
    await first.close();
    const second = engineWith();
    const after = second.informer(quiet);
    after.start();
    await after.synced;
    expect(startsOf(second)).toEqual(['warm']);
    expect(after.indexer.listKeys().sort()).toEqual(before.indexer.listKeys().sort());
    expect(world.errors).toEqual([]);
  });

  it('writes Secrets only if they are named', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };
    for (const snapshot of [undefined, true] as const) {
      const engine = engineWith();
      const secrets = engine.informer({ ...secret, ...(snapshot && { snapshot }) });
      secrets.start();
      await secrets.synced;
      const name = `secret-${String(snapshot)}`;
      await world.server.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default' },
      });
      await expect.poll(() => secrets.indexer.has(`default/${name}`)).toBe(true);
      await engine.close();
      expect((await readdir(directory)).length).toBe(snapshot ? 1 : 0);
    }
  });

  it('warm starts each namespace on its own', async () => {
    const all = await started(world.engine());
    const names = [...new Set(all.pods.lister.entries().map(({ namespace }) => namespace))].slice(0, 3);
    await all.engine.close();
    expect(names).toHaveLength(3);
    const first = await started(engineWith(), { namespace: names });
    await change(first);
    await first.engine.close();
    const requests = await Promise.all(
      names.map((name) => world.requestsOf(`/api/v1/namespaces/${name}/pods`)),
    );
    const second = await started(engineWith(), { namespace: names });
    expect(second.fold.equals(second.pods)).toBe(true);
    expect(second.pods.indexer.size).toBe(first.pods.indexer.size);
    const after = await Promise.all(names.map((name) => world.requestsOf(`/api/v1/namespaces/${name}/pods`)));
    const lists = after.map(
      ({ list, stream }, i) => list + stream - (requests[i]?.list ?? 0) - (requests[i]?.stream ?? 0),
    );
    // One of them had an event.
    expect(lists.filter((count) => count === 0)).toHaveLength(1);
    expect(world.errors).toEqual([]);
  });

  it('shows stale objects to readers who ask for them, and to no handler, before the server has confirmed them', async () => {
    await leaveSnapshot({}, { snapshot: { readStale: true } });
    await world.server.faults.add({ match: { verb: 'watch' }, fault: { type: 'delay', ms: 1500 } });
    const pods = engineWith().informer<Pod>({ ...PODS, snapshot: { readStale: true } });
    const fold = new Fold();
    pods.addEventHandler(fold);
    pods.start();
    await expect.poll(() => pods.indexer.size).toBeGreaterThan(0);
    const late = new Fold();
    pods.addEventHandler(late);
    expect(pods.isWarm).toBe(true);
    expect(pods.hasSynced).toBe(false);
    expect(fold.notifications).toBe(0);
    await pods.synced;
    for (const one of [fold, late]) {
      await expect.poll(() => one.equals(pods)).toBe(true);
      expect(one.notifications).toBe(pods.indexer.size);
    }
  });

  it('starts a custom resource warm, with dropped paths and index values', async () => {
    const widgets = await world.define('example.com', 'Widget');
    const options = { ...widgets, drop: ['spec.secret'], indexers: { color: 'spec.color' } };
    const create = (name: string) =>
      world.server.create({
        apiVersion: widgets.apiVersion,
        kind: 'Widget',
        metadata: { name, namespace: 'default' },
        spec: { color: 'grün ✓', secret: 'x' },
      });
    await create('a');
    const first = engineWith();
    const before = first.informer(options);
    before.start();
    await before.synced;
    await create('b');
    await expect.poll(() => before.indexer.size).toBe(2);
    await first.close();
    const second = engineWith();
    const after = second.informer(options);
    after.start();
    await after.synced;
    expect(startsOf(second)).toEqual(['warm']);
    expect(after.indexer.byIndex('color', 'grün ✓')).toHaveLength(2);
    expect(after.lister.get('default/a')).not.toHaveProperty('spec.secret');
    expect(after.lister.list()).toEqual(before.lister.list());
  });

  it('closes while it writes, and while it reads', async () => {
    const engine = engineWith({ everyMs: 100 });
    const { pods } = await started(engine);
    await change({ pods });
    await engine.close();
    const next = engineWith();
    const reading = next.informer(PODS);
    reading.start();
    await next.close();
    expect((await readdir(directory)).every((name) => name.endsWith('.snapshot'))).toBe(true);
    const { engine: last } = await started();
    expect(startsOf(last)).toEqual(['warm']);
  });

  it('reports a directory that cannot be used, and goes on without', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expectColdStart('failed', engineWith({ directory: file }));
  });

  it.each<[string, Partial<EngineOptions>, Partial<InformerOptions<Pod>>]>([
    ['a relative directory', { snapshot: { directory: 'here' } }, {}],
    ['a key of another length', { snapshot: { directory: '/tmp', key: new Uint8Array(16) } }, {}],
    ['a snapshot of an informer without a directory', {}, { snapshot: true }],
    [
      'a snapshot with a transform',
      { snapshot: { directory: '/tmp/x' } },
      { snapshot: true, transform: (pod) => pod },
    ],
    ['an unknown option of an informer', { snapshot: { directory: '/tmp/x' } }, { snapshot: {} as never }],
  ])('rejects %s', (_, options, informer) => {
    expect(() => world.engine(options).informer<Pod>({ ...PODS, ...informer })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
    );
  });
});

async function patchByte(file: string, at: number, value: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = value;
  await writeFile(file, bytes);
}

async function flip(file: string, share: number): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length * share);
  await patchByte(file, at, (bytes[at] ?? 0) ^ 1);
}

async function linkElsewhere(file: string): Promise<void> {
  const moved = `${file}.moved`;
  await rename(file, moved);
  await symlink(moved, file);
}

/** A process that has listened on the lock and was killed. */
async function killedHolder(folder: string): Promise<void> {
  const program = `require('node:net').createServer().listen(${JSON.stringify(join(folder, 'lock'))}, () => process.kill(process.pid, 'SIGKILL'))`;
  await new Promise<void>((resolve) => {
    execFile(process.execPath, ['-e', program], () => resolve());
  });
}
