import type { InformerOptions } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isFullLoop } from '../support/engine/loops.js';
import { ByteWorld, selectorOf } from '../support/informer/byte-informer.js';

/** Informers of one engine, each with a cut of its own. */
const ABREAST = 250;
/** Bytes that the ordinary run takes of each way, for each type of cut. */
const SAMPLES = { cut: 60, reset: 20, end: 20 };
/** The full run takes every byte for `cut`, and every so many for the others. */
const FULL_STRIDE = { cut: 1, reset: 11, end: 5 };

type CutType = keyof typeof SAMPLES;

let bytes: ByteWorld;

beforeAll(async () => {
  bytes = await ByteWorld.start();
});
afterEach(() => bytes.world.closeEngines());
afterAll(() => bytes.world.close());

/** One way of reading. */
interface Way {
  readonly name: string;
  readonly options: Partial<InformerOptions>;
  /** Whose bodies are cut. */
  readonly verb: 'list' | 'watch';
  readonly hasScript: boolean;
  /** What may be reported. */
  readonly errors: readonly string[];
}

const LIST_FAILED = ['KUBEFLECT_LIST_FAILED'];
const WAYS: readonly Way[] = (['json', 'protobuf'] as const).flatMap((encoding): Way[] => [
  {
    name: `a list by pages, ${encoding}`,
    options: { list: 'paged', encoding },
    verb: 'list',
    hasScript: false,
    errors: LIST_FAILED,
  },
  {
    name: `a list in one piece, ${encoding}`,
    options: { list: 'full', encoding },
    verb: 'list',
    hasScript: false,
    errors: LIST_FAILED,
  },
  {
    name: `a streaming list, ${encoding}`,
    options: { list: 'stream', encoding },
    verb: 'watch',
    hasScript: false,
    errors: [],
  },
  {
    name: `a watch, ${encoding}`,
    options: { list: 'paged', encoding },
    verb: 'watch',
    hasScript: true,
    errors: [],
  },
]);

const measured = new Map<Way, readonly number[]>();

/** The lengths of the bodies that can be cut: several kilobytes. */
async function bodiesOf(way: Way): Promise<readonly number[]> {
  const known = measured.get(way);
  if (known !== undefined) return known;
  const before = await bytes.lastRequest();
  await bytes.live(bytes.mirrors(['whole'], way.options), way.hasScript ? bytes.script : undefined);
  const requests = await bytes.world.server.requests({ after: before });
  await bytes.world.closeEngines();
  const bodies = requests.filter(({ verb }) => verb === way.verb).map((request) => request.bytes);
  expect(sumOf(bodies)).toBeGreaterThan(5000);
  measured.set(way, bodies);
  return bodies;
}

/** The n-th byte of all bodies, as a body and a place in it. */
function placeOf(n: number, bodies: readonly number[]): { body: number; afterBytes: number } {
  let afterBytes = n;
  for (const [body, length] of bodies.entries()) {
    if (afterBytes < length) return { body, afterBytes };
    afterBytes -= length;
  }
  throw new Error(`there are no ${n} bytes`);
}

/** The bytes at which to cut; the first and the last are always among them. */
function pointsOf(total: number, type: CutType): number[] {
  const stride = isFullLoop ? FULL_STRIDE[type] : Math.ceil(total / SAMPLES[type]);
  const all = Array.from({ length: total }, (_, n) => n);
  return all.filter((n) => n % stride === 0 || n === total - 1);
}

const sumOf = (bodies: readonly number[]): number => bodies.reduce((sum, length) => sum + length, 0);

describe.each(WAYS)('$name', (way) => {
  it.each(['cut', 'reset', 'end'] as const)(
    'converges to the same state wherever its bytes are cut (%s)',
    async (type) => {
      const bodies = await bodiesOf(way);
      const points = pointsOf(sumOf(bodies), type);
      for (let i = 0; i < points.length; i += ABREAST) {
        await round(way, type, bodies, points.slice(i, i + ABREAST));
      }
    },
    900_000,
  );
});

/** One informer per point. */
async function round(
  way: Way,
  type: CutType,
  bodies: readonly number[],
  points: readonly number[],
): Promise<void> {
  const { world } = bytes;
  const before = await bytes.lastRequest();
  for (const n of points) {
    const { body, afterBytes } = placeOf(n, bodies);
    await world.server.faults.add({
      match: { verb: way.verb, query: { labelSelector: selectorOf(n) }, skip: body },
      count: 1,
      fault: { type, afterBytes },
    });
  }
  await bytes.live(bytes.mirrors(points, way.options), way.hasScript ? bytes.script : undefined);
  const requests = await world.server.requests({ after: before });
  for (const n of points) {
    const own = requests.filter(({ query }) => query['labelSelector'] === selectorOf(n));
    const cut = own.filter(({ faults }) => faults.includes(type));
    expect(cut, `at byte ${n}`).toMatchObject([{ bytes: placeOf(n, bodies).afterBytes }]);
    const lists = own.filter(({ verb, query }) => verb === 'list' && query['continue'] === undefined);
    // A watch is taken up where it was.
    if (way.hasScript) expect(lists, `at byte ${n}`).toHaveLength(1);
  }
  expect(world.faults.filter(({ code }) => !way.errors.includes(code))).toEqual([]);
  await world.closeEngines();
}
