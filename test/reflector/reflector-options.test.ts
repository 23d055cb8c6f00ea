import { describe, expect, it } from 'vitest';
import { Reflector } from '#dist/src/reflector/reflector.js';
import type { ReflectorMetrics } from '#dist/src/reflector/reflector-metrics.js';
import { MapStore } from '../support/informer/map-store.js';
import { added, list, pod, ScriptedServer } from '../support/servers/scripted-server.js';

const source = {
  list: () => {
    throw new Error('not asked');
  },
  watch: () => {
    throw new Error('not asked');
  },
};
const reflector = (options: object = {}) =>
  new Reflector({ listerWatcher: source, store: new MapStore(), ...options });

describe('Reflector name', () => {
  it('defaults to the file and line of the caller', () => {
    expect(reflector().name).toMatch(/reflector\/reflector-options\.test\.ts:\d+$/);
  });

  it('can be configured', () => {
    expect(reflector({ name: 'mine' }).name).toBe('mine');
  });

  it('has a unique id that is a valid label', () => {
    const ids = [reflector({ name: 'a/b.ts:1' }).id, reflector({ name: 'a/b.ts:1' }).id];
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^reflector_a_b_ts_1_\d+$/);
  });
});

// TestGetTypeDescriptionFromObject, TestGetExpectedGVKFromObject
describe('Reflector type description', () => {
  it.each([
    [{}, '<unspecified>'],
    [{ expectedType: 'Pod' }, 'Pod'],
    [{ expectedGVK: { group: '', version: 'v1', kind: 'Pod' } }, 'v1, Kind=Pod'],
    [{ expectedGVK: { group: 'my.io', version: 'v2', kind: 'Thing' } }, 'my.io/v2, Kind=Thing'],
    [{ expectedType: 'Pod', typeDescription: 'pods of mine' }, 'pods of mine'],
  ])('for %j is %j', (options, description) => {
    expect(reflector(options).typeDescription).toBe(description);
  });
});

describe('Reflector options', () => {
  it.each(['resyncPeriodMs', 'watchListPageSize', 'minWatchTimeoutMs', 'watchListIdleTimeoutMs'])(
    'throw with the name of %s if it is not a number of at least 0',
    (name) => {
      for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(() => reflector({ [name]: value })).toThrow(new RegExp(`${name} must be`));
      }
    },
  );
});

describe('Reflector metrics', () => {
  it("count lists, watches, items and short watches, under client-go's names", async () => {
    const seen: Record<string, number[]> = {};
    const metric = (name: string) => {
      const record = (value = 1): void => {
        seen[name] = [...(seen[name] ?? []), value];
      };
      return { inc: () => record(), set: record, observe: record };
    };
    const metrics: ReflectorMetrics = {
      numberOfLists: metric('numberOfLists'),
      listDuration: metric('listDuration'),
      numberOfItemsInList: metric('numberOfItemsInList'),
      numberOfWatches: metric('numberOfWatches'),
      numberOfShortWatches: metric('numberOfShortWatches'),
      watchDuration: metric('watchDuration'),
      numberOfItemsInWatch: metric('numberOfItemsInWatch'),
      lastResourceVersion: metric('lastResourceVersion'),
    };
    const server = new ScriptedServer({ metrics });
    server.lists.push(list('10', [pod('a', '1'), pod('b', '2')]));
    server.answers.push((watch) => watch.close(), [added('c', '11')]);
    const running = server.run();
    await server.clock.advance(3000);
    await server.stop(running);
    expect(seen).toEqual({
      numberOfLists: [1],
      listDuration: [0],
      numberOfItemsInList: [2],
      lastResourceVersion: [10, 11],
      numberOfWatches: [1, 1],
      numberOfShortWatches: [1],
      watchDuration: [0, 2.2],
      numberOfItemsInWatch: [0, 1],
    });
  });
});
