import type { Entry, InformerOptions, SharedInformer } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ByteWorld, selectorOf } from '../support/informer/byte-informer.js';
import { SeededRandom } from '../support/time/seeded-random.js';

const random = new SeededRandom(5);

/** In turn. */
const SIZES: readonly (readonly number[])[] = [
  [1],
  [2],
  [3],
  [7],
  [4096],
  ...Array.from({ length: 4 }, () => Array.from({ length: 50 }, () => random.between(1, 900))),
];

let bytes: ByteWorld;

beforeAll(async () => {
  bytes = await ByteWorld.start();
});
afterEach(() => bytes.world.closeEngines());
afterAll(() => bytes.world.close());

/** Everything a handler is told, in order, with the objects themselves. */
function deltas(informer: SharedInformer): unknown[] {
  const told: unknown[] = [];
  const state = ({ key, resourceVersion, object }: Entry) => [key, resourceVersion, object];
  informer.addEventHandler({
    onAdd: (entry, details) => void told.push(['add', state(entry), details]),
    onUpdate: (before, after) => void told.push(['update', before.resourceVersion, state(after)]),
    onDelete: (entry) => void told.push(['delete', state(entry)]),
  });
  return told;
}

describe('an engine that receives the same bytes in different chunks', () => {
  it.each<[string, Partial<InformerOptions>]>([
    ['a list by pages', {}],
    ['a list in one piece', { list: 'full' }],
    ['a streaming list', { list: 'stream' }],
  ])('produces the same deltas, in %s and in the watch after it', async (_, options) => {
    for (const [id, sizes] of SIZES.entries()) {
      const match = { query: { labelSelector: selectorOf(id) } };
      await bytes.world.server.faults.add({ match, fault: { type: 'chunks', sizes } });
    }
    const mirrors = bytes.mirrors([...SIZES.keys(), 'whole'], options);
    const told = mirrors.map(({ informer }) => deltas(informer));
    await bytes.live(mirrors, bytes.script);
    const whole = told.at(-1);
    // Twenty objects and twenty events.
    await expect.poll(() => told.map(({ length }) => length)).toEqual(told.map(() => 40));
    for (const [id, some] of told.entries()) expect(some, String(SIZES[id])).toEqual(whole);
    expect(bytes.world.faults).toEqual([]);
  });
});
