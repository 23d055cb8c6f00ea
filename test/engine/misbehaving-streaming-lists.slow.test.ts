/**
 * Servers and proxies that accept a streaming list and never end it, with the default timeouts: the tests run side by
 * side because each takes most of the 30 seconds in which the collection must be cached.
 */

import type { Fault, RequestRecord, ServerOptions } from 'kubeflect/testing';
import { describe, it, type TestContext } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';

const OBJECTS = 20;

interface Misbehaviour {
  readonly name: string;
  readonly options: ServerOptions;
  readonly fault?: Fault;
  /** One object changes every 200 ms. */
  readonly isChanging: boolean;
  /** Streaming lists that may be requested. */
  readonly streams: number;
}

const MISBEHAVIOURS: readonly Misbehaviour[] = [
  {
    name: 'is ignored by the server, and MODIFIED events keep coming (k9s#4044)',
    options: { watchList: 'silent' },
    isChanging: true,
    streams: 1,
  },
  {
    name: 'is closed after 2 s without the end bookmark, every time (kubernetes#140890)',
    options: { watchList: 'silent' },
    fault: { type: 'closeAfterMs', ms: 2000 },
    isChanging: true,
    streams: 3,
  },
  {
    name: 'has only its end bookmark dropped by a proxy',
    options: { bookmarkIntervalMs: 1000 },
    fault: { type: 'dropBookmarks', which: 'initial-events-end' },
    isChanging: true,
    streams: 1,
  },
  {
    name: 'is accepted, and goes silent',
    options: { watchList: 'silent' },
    isChanging: false,
    streams: 1,
  },
];

async function start(
  { options, fault, isChanging }: Misbehaviour,
  { onTestFinished }: TestContext,
): Promise<EngineFixture> {
  const fixture = await EngineFixture.start(options);
  onTestFinished(() => fixture.close());
  for (let i = 0; i < OBJECTS; i++) await fixture.configMap(`object-${i}`);
  if (fault !== undefined) await fixture.server.faults.add({ match: { verb: 'watch' }, fault });
  let changes = 0;
  const change = (): void => void fixture.patchConfigMap('object-0', { change: `${changes++}` });
  const timer = isChanging ? setInterval(change, 200) : undefined;
  onTestFinished(() => clearInterval(timer));
  return fixture;
}

describe.concurrent('a streaming list that never ends', { timeout: 120_000 }, () => {
  for (const row of MISBEHAVIOURS) {
    it(`${row.name}: a list syncs within 30 s, and that is remembered`, (context) => check(row, context));
  }
});

async function check(row: Misbehaviour, context: TestContext): Promise<void> {
  const { expect } = context;
  const fixture = await start(row, context);
  const requests = (filter: (request: RequestRecord) => boolean): Promise<RequestRecord[]> =>
    fixture.server.requests().then((all) => all.filter(filter));
  const engine = fixture.engine();
  const informer = engine.informer(CONFIG_MAPS);
  informer.start();
  await expect.poll(() => informer.hasSynced, { timeout: 30_000 }).toBe(true);
  expect(informer.indexer.size).toBeGreaterThanOrEqual(OBJECTS);
  expect(await requests(isStreamingList)).toHaveLength(row.streams);
  expect(await requests(isList)).toHaveLength(1);

  // Neither a relist nor another informer of the resource requests a streaming list again.
  await fixture.server.compact();
  await fixture.server.faults.add({
    match: { verb: 'watch', path: '/api/v1/configmaps' },
    fault: { type: 'expireHistory' },
    count: 1,
  });
  await fixture.server.closeWatches();
  const another = engine.informer({ ...CONFIG_MAPS, namespace: 'default' });
  another.start();
  await another.synced;
  await expect.poll(() => requests(isList), { timeout: 30_000 }).toHaveLength(3);
  expect(await requests(isStreamingList)).toHaveLength(row.streams);
}

function isStreamingList({ verb, query }: RequestRecord): boolean {
  return verb === 'watch' && query['sendInitialEvents'] === 'true';
}

function isList({ verb, query }: RequestRecord): boolean {
  return verb === 'list' && query['continue'] === undefined;
}
