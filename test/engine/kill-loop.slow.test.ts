import { createHash } from 'node:crypto';
import type { RequestRecord } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, EngineFixture } from '../support/engine/engine-fixture.js';
import { isFullLoop } from '../support/engine/loops.js';
import { WorkerKillingInformer } from '../support/engine/worker-killing-informer.js';

const PAGE = 6;
const OBJECTS = 60;
const SHORT_LIVED = 20;

const names = (prefix: string, from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `${prefix}${from + i}`);
const LASTING = names('c', 0, OBJECTS);

type Change = 'create' | 'patch' | 'delete';

/** In each step a key comes at most once, so that nothing is merged and every event is a message of its own. */
const SCRIPT: readonly (readonly [change: Change, names: readonly string[]])[][] = [
  [['patch', LASTING]],
  [['create', names('s', 0, SHORT_LIVED)]],
  [['patch', LASTING]],
  [
    ['delete', names('s', 0, SHORT_LIVED)],
    ['delete', LASTING.slice(0, 10)],
  ],
  [
    ['patch', LASTING.slice(10)],
    ['create', LASTING.slice(0, 10)],
  ],
];

/** Of a page: open, begin, its objects, end. */
const LIST_MESSAGES = (OBJECTS / PAGE) * (PAGE + 3);
/** Bookmarks come on top, by time. */
const MESSAGES = LIST_MESSAGES + 1 + SCRIPT.flat().reduce((sum, [, { length: changes }]) => sum + changes, 0);

/** Mirrors that live through one run of the script side by side, each with a death of its own. */
const ABREAST = 16;
/** Every so many messages only, in the ordinary run. */
const STRIDE = isFullLoop ? 1 : 11;

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start({ bookmarkIntervalMs: 30 });
  for (const name of LASTING) await world.configMap(name, text());
});
afterAll(() => world.close());

let texts = 0;

/** More than a batch, and no table of strings makes it shorter. */
function text(): Record<string, string> {
  const parts = Array.from({ length: 18 }, () => createHash('sha256').update(`${texts++}`).digest('hex'));
  return { text: parts.join('') };
}

const CHANGES: Record<Change, (name: string) => Promise<unknown>> = {
  create: (name) => world.configMap(name, text()),
  patch: (name) => world.patchConfigMap(name, text()),
  delete: (name) => world.deleteConfigMap(name),
};

async function play(mirrors: readonly WorkerKillingInformer[]): Promise<void> {
  for (const step of SCRIPT) {
    await Promise.all(step.flatMap(([change, objects]) => objects.map(CHANGES[change])));
    const { resourceVersion } = await world.server.counters();
    const isApplied = ({ informer }: WorkerKillingInformer): boolean =>
      Number(informer.lastStoreSyncResourceVersion) >= Number(resourceVersion);
    await expect.poll(() => mirrors.every(isApplied), { interval: 5, timeout: 20_000 }).toBe(true);
  }
}

/** Lets one mirror per number live through the script, until it has seen all; its thread dies when as many messages have come. */
async function live(
  lastMessages: readonly number[],
  hasSeenAll = ({ isTold }: WorkerKillingInformer): boolean => isTold,
): Promise<WorkerKillingInformer[]> {
  const mirrors = lastMessages.map(
    (lastMessage) =>
      new WorkerKillingInformer({
        server: world.server.url,
        labelSelector: selectorOf(lastMessage),
        pageSize: PAGE,
        lastMessage,
        onError: (error) => void world.errors.push(error),
      }),
  );
  try {
    await Promise.all(mirrors.map((mirror) => mirror.start()));
    await play(mirrors);
    const { digest } = await world.server.digest({ apiVersion: 'v1', kind: 'ConfigMap' });
    for (const { informer } of mirrors) expect(digestOf(informer).digest).toBe(digest);
    await expect.poll(() => mirrors.every(hasSeenAll), { interval: 5, timeout: 20_000 }).toBe(true);
    return mirrors;
  } finally {
    await Promise.all(mirrors.map((mirror) => mirror.close()));
  }
}

/** Matches everything, and names the mirror in the server's log. */
const selectorOf = (lastMessage: number): string => `mirror!=${lastMessage}`;

const isFirstPage = ({ path }: { readonly path: string }): boolean => !path.includes('continue=');

describe('a worker that dies after the n-th message', () => {
  it(
    'causes no relist and no missed event, for every n of a list, a watch and its bookmarks',
    async () => {
      const hasBookmarks = ({ arrived }: WorkerKillingInformer): boolean => arrived.length > MESSAGES;
      const [immortal] = await live([Number.POSITIVE_INFINITY], hasBookmarks);
      const lists = immortal?.arrived.filter((message) => message.startsWith('list'));
      expect(lists).toHaveLength(LIST_MESSAGES);
      expect(MESSAGES).toBeGreaterThan(300);

      const deaths = names('', 1, MESSAGES + 1)
        .map(Number)
        .filter((n) => n % STRIDE === 1 % STRIDE);
      for (let i = 0; i < deaths.length; i += ABREAST) {
        const { requests: before } = await world.server.counters();
        const mirrors = await live(deaths.slice(i, i + ABREAST));
        const requests = await world.server.requests({ after: before });
        mirrors.forEach((mirror, j) => {
          checkRequests(mirror, deaths[i + j] ?? 0, requests);
        });
      }
      expect(world.faults).toEqual([]);
    },
    isFullLoop ? 600_000 : 120_000,
  );
});

/** Nothing was asked for again but what the thread was working on when it died. */
function checkRequests({ lost }: WorkerKillingInformer, n: number, all: readonly RequestRecord[]): void {
  const when = `after message ${n}`;
  expect(lost, `${when} the thread should have died`).toBeDefined();
  const requests = all.filter(({ query }) => query['labelSelector'] === selectorOf(n));
  const pages = requests.filter(({ verb }) => verb === 'list');
  const first = pages.filter(({ query }) => query['continue'] === undefined);
  const lostPages = lost?.filter(({ verb }) => verb === 'list') ?? [];
  expect(first.length, when).toBeLessThanOrEqual(1 + lostPages.filter(isFirstPage).length);
  expect(pages.length, when).toBeLessThanOrEqual(OBJECTS / PAGE + lostPages.length);
  // One that the server never answered has none.
  expect(new Set(requests.flatMap(({ status = 200 }) => status)), when).toEqual(new Set([200]));
}
