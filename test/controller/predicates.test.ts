import {
  type Entry,
  type HandlerError,
  type KubernetesObject,
  type ObjectMeta,
  runController,
} from 'kubeflect';
import { controllerUid, type Predicate, predicates, setControllerReference } from 'kubeflect/controller';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import type { ControllerOptions } from '#dist/src/controller/controller-options.js';
import { type Collection, EngineFixture } from '../support/engine/engine-fixture.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import type { Pod } from '../support/objects/entries.js';
import { entry } from '../support/objects/entries.js';

interface Widget extends KubernetesObject {
  metadata?: ObjectMeta & { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { size?: number };
}

let world: EngineFixture;
let widgets: Collection<Widget>;
let number = 0;
let name: string;

beforeAll(async () => {
  world = await EngineFixture.start();
  widgets = await world.define('shop.example', 'Widget');
});
afterAll(() => world.close());
afterEach(() => world.closeEngines());
beforeEach(() => {
  name = `widget-${++number}`;
});

const target = () => ({ apiVersion: 'shop.example/v1', kind: 'Widget', name, namespace: 'default' });

const change = (patch: object): Promise<unknown> => world.server.patch(target(), patch);

/** Counts the reconciles of one widget; `settle` waits until everything that happened before was seen. */
async function reconciling(options: Partial<ControllerOptions<Widget>>) {
  await world.server.create({
    apiVersion: 'shop.example/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'default', labels: { a: '1' }, annotations: { b: '1' } },
    spec: { size: 1 },
  });
  const informer = world.engine().informer<Widget>({ ...widgets, fieldSelector: `metadata.name=${name}` });
  let count = 0;
  const controller = runController({ informer, reconcile: () => void count++, ...options });
  await controller.synced;
  await expect.poll(() => count).toBe(1);
  count = 0;
  let seen = '';
  informer.addEventHandler({
    onUpdate: (_, after) => {
      seen = after.resourceVersion;
    },
  });
  const reconciledAfter = async (patch: object): Promise<number> => {
    count = 0;
    const { metadata } = (await change(patch)) as KubernetesObject;
    await expect.poll(() => seen).toBe(metadata?.resourceVersion);
    // The handler of the controller was notified before.
    await controller.queue.length;
    return count;
  };
  return { reconciledAfter, controller, informer };
}

const SPEC = { spec: { size: 2 } };
const LABELS = { metadata: { labels: { a: '2' } } };
const ANNOTATIONS = { metadata: { annotations: { b: '2' } } };
const OTHER = { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] } };

describe('a controller with the predicate', () => {
  const { generationChanged, labelsChanged, annotationsChanged, and, or, not } = predicates;

  it.each<readonly [string, Predicate<Widget>, readonly number[]]>([
    ['generationChanged', generationChanged, [1, 0, 0, 0]],
    ['labelsChanged', labelsChanged, [0, 1, 0, 0]],
    ['annotationsChanged', annotationsChanged, [0, 0, 1, 0]],
    ['or', or(generationChanged, labelsChanged), [1, 1, 0, 0]],
    ['and', and(labelsChanged, not(generationChanged)), [0, 1, 0, 0]],
    ['not', not(annotationsChanged), [1, 1, 0, 1]],
    ['of its own', (before, after) => before.object.spec?.size !== after.object.spec?.size, [1, 0, 0, 0]],
  ])('%s reconciles after these changes, and none after others', async (_, predicate, expected) => {
    const { reconciledAfter } = await reconciling({ predicate });
    const counts: number[] = [];
    for (const patch of [SPEC, LABELS, ANNOTATIONS, OTHER]) counts.push(await reconciledAfter(patch));
    expect(counts).toEqual(expected);
  });

  it('that rejects everything reconciles after changes of finalizers and deletion', async () => {
    const { reconciledAfter, informer } = await reconciling({ predicate: () => false });
    expect(await reconciledAfter(SPEC)).toBe(0);
    expect(await reconciledAfter({ metadata: { finalizers: ['shop.example/a'] } })).toBe(1);
    expect(await reconciledAfter({ metadata: { finalizers: ['shop.example/a', 'shop.example/b'] } })).toBe(1);
    await world.server.delete(target());
    await expect
      .poll(() => informer.lister.get(`default/${name}`)?.metadata)
      .toHaveProperty('deletionTimestamp');
    expect(await reconciledAfter({ metadata: { finalizers: ['shop.example/b'] } })).toBe(1);
    await change({ metadata: { finalizers: [] } });
    await expect.poll(() => informer.lister.get(`default/${name}`)).toBeUndefined();
  });
});

describe('in virtual time, a controller', () => {
  async function started(options: Partial<ControllerOptions<Pod>>, h = new InformerHarness()) {
    const calls: string[] = [];
    const controller = runController({
      informer: h.informer,
      clock: h.clock,
      reconcile: (key) => void calls.push(key),
      ...options,
    });
    await h.start([[entry('a', 1)], '1']);
    expect(calls.splice(0)).toEqual(options.filter === undefined ? ['default/a'] : []);
    return { h, calls, controller };
  }

  it('with a predicate that rejects everything reconciles a new object of the same name, and resyncs', async () => {
    const { h, calls, controller } = await started(
      { predicate: () => false },
      new InformerHarness({ resyncPeriodMs: 60_000 }),
    );
    h.store.update(entry('a', 2));
    await h.clock.flush();
    expect(calls).toEqual([]);
    h.store.update(entry('a', 3, { uid: 'another' }));
    await h.clock.flush();
    expect(calls).toEqual(['default/a']);
    await h.clock.advance(0);
    h.store.resync();
    await h.clock.advance(1);
    expect(calls.length).toBeGreaterThanOrEqual(1);
    await controller.stop();
  });

  it('with generationChanged reconciles every update of objects that have no generation', async () => {
    const { h, calls, controller } = await started({ predicate: predicates.generationChanged });
    h.store.update(entry('a', 2));
    await h.clock.flush();
    expect(calls).toEqual(['default/a']);
    await controller.stop();
  });

  it('with a filter ignores other objects, and reconciles those that begin or cease to pass', async () => {
    const isBlue = ({ object }: Entry<Pod>): boolean => object.metadata.labels?.['colour'] === 'blue';
    const { h, calls, controller } = await started({ filter: isBlue });
    const steps: (readonly [() => unknown, number])[] = [
      [() => h.store.update(entry('a', 2)), 0],
      [() => h.store.update(entry('a', 3, { labels: { colour: 'blue' } })), 1],
      [() => h.store.update(entry('a', 4, { labels: { colour: 'blue' } })), 1],
      [() => h.store.update(entry('a', 5, { labels: { colour: 'red' } })), 1],
      [() => h.store.update(entry('a', 6, { labels: { colour: 'red' } })), 0],
      [() => h.store.delete(entry('a', 7)), 0],
    ];
    for (const [step, count] of steps) {
      calls.length = 0;
      step();
      await h.clock.flush();
      expect(calls.length, `${step}`).toBe(count);
    }
    await controller.stop();
  });

  it('reconciles a change whose predicate throws, which is reported', async () => {
    const { h, calls, controller } = await started({
      predicate: () => {
        throw new Error('no idea');
      },
    });
    h.store.update(entry('a', 2));
    await h.clock.flush();
    expect(calls).toEqual(['default/a']);
    expect(h.errors.map((error) => [error.code, (error as HandlerError).key])).toEqual([
      ['KUBEFLECT_HANDLER_FAILED', 'default/a'],
    ]);
    await controller.stop();
  });

  it('with a filter reconciles the deletion of an object that passed before a change that was merged into it', async () => {
    const isBlue = ({ object }: Entry<Pod>): boolean => object.metadata.labels?.['colour'] === 'blue';
    const { h, calls, controller } = await started({ filter: isBlue });
    h.store.update(entry('a', 2, { labels: { colour: 'blue' } }));
    await h.clock.flush();
    calls.length = 0;
    h.store.delete(entry('a', 4, { labels: { colour: 'red' } }));
    await h.clock.flush();
    expect(calls).toEqual(['default/a']);
    await controller.stop();
  });

  it('reconciles an object whose filter throws, which is reported, in each kind of change', async () => {
    const errors: string[] = [];
    const { h, calls, controller } = await started({
      filter: ({ resourceVersion }) => {
        if (resourceVersion === '1') return false;
        throw new Error('no idea');
      },
      onError: ({ code, message }) => void errors.push(`${code}: ${message}`),
    });
    for (const step of [
      () => h.store.update(entry('a', 2)),
      () => h.store.add(entry('b', 3)),
      () => h.store.delete(entry('a', 4)),
    ]) {
      step();
      await h.clock.flush();
    }
    expect(calls).toEqual(['default/a', 'default/b', 'default/a']);
    expect(new Set(errors)).toEqual(
      new Set([
        'KUBEFLECT_HANDLER_FAILED: the filter of "pods" failed on default/a; the object is not left out',
        'KUBEFLECT_HANDLER_FAILED: the filter of "pods" failed on default/b; the object is not left out',
      ]),
    );
    await controller.stop();
  });

  it('with a predicate for children reconciles both owners when a child moves', async () => {
    const parents = new InformerHarness();
    const children = new InformerHarness({ indexers: { controller: controllerUid } });
    const calls: string[] = [];
    const controller = runController({
      informer: parents.informer,
      clock: parents.clock,
      owns: [{ informer: children.informer, predicate: () => false }],
      reconcile: (key) => void calls.push(key),
    });
    const [from, to] = [entry('from', 1), entry('to', 1)];
    const childOf = (owner: Entry<Pod>, version: number) => {
      const child = entry('child', version);
      Object.assign(child.object.metadata, setControllerReference(owner.object, child.object).metadata);
      return child;
    };
    await children.start([[childOf(from, 1)], '1']);
    await parents.start([[from, to], '1']);
    calls.length = 0;
    children.store.update(childOf(from, 2));
    await children.clock.flush();
    expect(calls).toEqual([]);
    children.store.update(childOf(to, 3));
    await children.clock.flush();
    expect(calls.splice(0).sort()).toEqual(['default/from', 'default/to']);
    // Moved back and deleted, while the program was busy: a worker merges both into the deletion.
    children.store.delete(childOf(from, 5));
    await children.clock.flush();
    expect(calls.sort()).toEqual(['default/from', 'default/to']);
    await controller.stop();
  });

  it('with a filter does not reconcile other objects because of their children', async () => {
    const isBlue = ({ object }: Entry<Pod>): boolean => object.metadata.labels?.['colour'] === 'blue';
    const parents = new InformerHarness();
    const children = new InformerHarness({ indexers: { controller: controllerUid } });
    const calls: string[] = [];
    const controller = runController({
      informer: parents.informer,
      clock: parents.clock,
      filter: isBlue,
      owns: [{ informer: children.informer }],
      reconcile: (key) => void calls.push(key),
    });
    let version = 1;
    const owner = (colour: string): Entry<Pod> => entry('owner', ++version, { labels: { colour } });
    const changeChild = async (): Promise<string[]> => {
      calls.length = 0;
      const child = entry('child', ++version);
      const { metadata } = setControllerReference(owner('any').object, child.object);
      Object.assign(child.object.metadata, metadata);
      children.store.update(child);
      await children.clock.flush();
      return calls.splice(0);
    };
    await children.start([[], '1']);
    await parents.start([[owner('red')], '2']);
    expect(await changeChild()).toEqual([]);
    parents.store.update(owner('blue'));
    await parents.clock.flush();
    expect(await changeChild()).toEqual(['default/owner']);
    parents.store.update(owner('red'));
    await parents.clock.flush();
    expect(calls).toEqual(['default/owner']);
    expect(await changeChild()).toEqual([]);
    await controller.stop();
  });
});

it('predicates and filters infer the type of the objects', () => {
  const { informer } = new InformerHarness();
  const controller = runController({
    informer,
    predicate: (before, after) => {
      expectTypeOf(before).toEqualTypeOf<Entry<Pod>>();
      return before.object.spec?.nodeName !== after.object.spec?.nodeName;
    },
    filter: ({ object }) => object.spec !== undefined,
    watches: [
      {
        informer,
        keys: ({ key }) => [key],
        predicate: predicates.or(
          predicates.labelsChanged,
          (_before, after: Entry<Pod>) => after.object.spec?.value === 1,
        ),
      },
    ],
    reconcile: () => {},
    signal: AbortSignal.abort(),
  });
  expect(controller.isStopped).toBe(true);
});
