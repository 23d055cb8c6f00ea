import { Engine, type KubeflectError } from 'kubeflect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, Fold } from '../support/engine/engine-fixture.js';
import { expectEqualJson } from '../support/objects/equal-json.js';
import { HOSTILE_OBJECTS } from '../support/objects/hostile-objects.js';
import { deepConfigMap, rejectedObjects } from '../support/objects/rejected-objects.js';
import { RawServer } from '../support/servers/raw-server.js';
import { fastClock } from '../support/time/fast-clock.js';

const LIMITS = { depth: 500, objectBytes: 3 * 1024 * 1024 };
const REFUSED = rejectedObjects({ depth: LIMITS.depth, bytes: LIMITS.objectBytes });

interface Planted {
  readonly name: string;
  readonly bytes: Buffer;
}

const FIRST_VERSION = 100;

/** What has to arrive as it is: everything below the caps, and one that is exactly at that of depth. */
const TAKEN: readonly Planted[] = [
  ...HOSTILE_OBJECTS.filter(({ name }) => !name.startsWith('deep-')).map(({ name, json }) => ({
    name,
    bytes: Buffer.from(json),
  })),
  { name: 'deep-at-the-cap', bytes: Buffer.from(deepConfigMap('deep-at-the-cap', LIMITS.depth)) },
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => plain(name)),
];

function plain(name: string, value = ''): Planted {
  const metadata = { name, namespace: 'hostile', uid: `uid-${name}`, resourceVersion: '7' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
  return { name, bytes: Buffer.from(JSON.stringify(object)) };
}

const neighbourOf = ({ name }: Planted): Planted => plain(`beside-${name.replaceAll('_', 'u')}`);

/** Each with an innocent neighbour after it. */
const ALL: readonly Planted[] = [...TAKEN, ...REFUSED].flatMap((object) => [object, neighbourOf(object)]);

/** The same at another version, which they all give as 7. */
function atVersion({ name, bytes }: Planted, version: number): Planted {
  const text = bytes.toString('latin1').replace('"resourceVersion":"7"', `"resourceVersion":"${version}"`);
  return { name, bytes: Buffer.from(text, 'latin1') };
}

function listOf(objects: readonly Planted[], resourceVersion: number): Buffer {
  const head = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"},"items":[`;
  const items = objects.flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [Buffer.from(','), bytes]));
  return Buffer.concat([Buffer.from(head), ...items, Buffer.from(']}\n')]);
}

const eventOf = ({ bytes }: Planted, i: number) => ({
  version: FIRST_VERSION + i,
  line: Buffer.concat([Buffer.from('{"type":"ADDED","object":'), bytes, Buffer.from('}\n')]),
});

let server: RawServer;
const errors: KubeflectError[] = [];

beforeEach(async () => {
  server = await RawServer.start();
  errors.length = 0;
});
afterEach(() => server.close());

it('the fixture has more than fifty valid and thirty invalid hostile objects', () => {
  expect(TAKEN.length).toBeGreaterThan(50);
  expect(REFUSED.length).toBeGreaterThan(30);
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});

describe('hostile objects', () => {
  const start = () => {
    const engine = new Engine({
      connection: { server: server.url, headers: {} },
      workers: 1,
      advanced: { limits: LIMITS, clock: fastClock(100), heartbeatTimeoutMs: 3_600_000 },
      onError: (error) => void errors.push(error),
    });
    const informer = engine.informer({ ...CONFIG_MAPS, indexers: { byValue: 'data.value' } });
    const fold = new Fold();
    informer.addEventHandler(fold);
    informer.start();
    return { engine, informer, fold };
  };

  it.each(['by list', 'by watch'])(
    'arrive unchanged or are reported %s, without affecting other objects',
    async (way) => {
      const planted = ALL.map((object, i) => atVersion(object, FIRST_VERSION + i));
      const last = FIRST_VERSION + ALL.length;
      if (way === 'by list') server.lists.push(listOf(planted, last));
      else {
        // What cannot be read in a watch is looked for in a list.
        server.lists.push(listOf([], FIRST_VERSION - 1), listOf(planted, last));
        server.events.push(...planted.map(eventOf));
      }
      const { engine, informer, fold } = start();
      await informer.synced;
      const taken = planted.filter(({ name }) => !REFUSED.some((refused) => refused.name === name));
      await expect.poll(() => informer.indexer.size, { timeout: 40_000 }).toBe(taken.length);
      for (const { name, bytes } of taken) {
        const object = informer.lister.get(`hostile/${name}`);
        expect(object, name).toBeDefined();
        expectEqualJson(object, JSON.parse(bytes.toString()));
      }
      await expect.poll(() => fold.equals(informer)).toBe(true);
      const rejected = errors.filter(({ code }) => code === 'KUBEFLECT_REJECTED');
      const reported = new Set(rejected.map((error) => ('key' in error ? error.key : undefined)));
      expect(reported).toEqual(new Set(REFUSED.map(({ key }) => key)));
      // A list in which something has no name is asked for twice: it might have been cut.
      const codes = new Set(errors.map(({ code }) => code));
      codes.delete('KUBEFLECT_HANDLER_SLOW');
      expect(codes).toEqual(new Set(['KUBEFLECT_REJECTED', 'KUBEFLECT_LIST_FAILED']));
      // Not the objects themselves.
      for (const { message } of errors) expect(message.length).toBeLessThan(600);
      expect(engine.stats().workers[0]?.restarts).toBe(0);
      expect({}).not.toHaveProperty('polluted');
      await engine.close();
    },
    120_000,
  );
});
