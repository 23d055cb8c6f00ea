import {
  type KubernetesObject,
  Metrics,
  type ReconcileContext,
  runController,
  type SharedInformer,
} from 'kubeflect';
import type { WrittenInformer } from 'kubeflect/controller';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type HarnessOptions, InformerHarness } from '../support/informer/informer-harness.js';
import { entry, pod } from '../support/objects/entries.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

type Reconcile = (key: string, context: ReconcileContext, of: Parents) => void | Promise<void>;

/** A controller of parents; children are only watched. Both informers are fed by the test. */
class Parents {
  readonly clock = new VirtualClock();
  readonly metrics = new Metrics();
  readonly parents: InformerHarness;
  readonly children: InformerHarness;
  readonly calls: string[] = [];
  readonly controller: ReturnType<typeof runController>;

  constructor(reconcile: Reconcile, options: { ownWritesTimeoutMs?: number; concurrency?: number } = {}) {
    const harness: HarnessOptions = { clock: this.clock };
    this.parents = new InformerHarness({ ...harness, name: 'parents' });
    this.children = new InformerHarness({ ...harness, name: 'children' });
    this.controller = runController({
      informer: this.parents.informer,
      watches: [{ informer: this.children.informer, keys: ({ key }) => [key] }],
      clock: this.clock,
      metrics: this.metrics,
      reconcile: async (key, context) => {
        this.calls.push(key);
        await reconcile(key, context, this);
      },
      ...options,
    });
  }

  async start(): Promise<this> {
    this.parents.store.replace([entry('a', 1), entry('b', 2)], '10');
    this.children.store.replace([], '10');
    await this.clock.drain();
    return this;
  }

  /** The calls since the last time. */
  async next(ms = 0): Promise<string[]> {
    await this.clock.advance(ms);
    return this.calls.splice(0);
  }

  metric(name: string): number {
    const line = this.metrics.text().match(new RegExp(`^${name}\\{controller="parents"\\} (.*)$`, 'm'));
    return Number(line?.[1]);
  }
}

const A = 'default/a';
const B = 'default/b';

describe('a key whose reconcile has reported a write', () => {
  it('is held back until the cache of a collection that is only watched shows it, and only that key', async () => {
    const p = await new Parents((key, { wrote }, p) => {
      const isMissing = p.children.informer.lister.get(key) === undefined;
      if (key === A && isMissing) wrote(p.children.informer, pod('a', 12));
    }).start();
    expect(await p.next()).toEqual([A, B]);
    p.parents.store.update(entry('a', 11));
    p.parents.store.update(entry('b', 12));
    expect(await p.next(1000)).toEqual([B]);
    expect(p.metric('kubeflect_controller_held_keys')).toBe(1);
    p.children.store.add(entry('a', 12));
    expect(await p.next()).toEqual([A]);
    expect(p.metric('kubeflect_controller_held_keys')).toBe(0);
    expect(p.metric('kubeflect_controller_held_seconds_sum')).toBe(1);
    expect(p.metric('kubeflect_controller_held_seconds_count')).toBe(1);
    expect(p.metric('kubeflect_controller_held_timeouts_total')).toBe(0);
    await p.controller.stop();
  });

  it('is not reconciled for that alone: only if it was to be reconciled meanwhile', async () => {
    const p = await new Parents((_key, { wrote, wroteDelete }, p) => {
      wrote(p.parents.informer, pod('other', 12));
      wroteDelete(p.children.informer, pod('gone', 9), { kind: 'Status' });
    }).start();
    expect(await p.next()).toEqual([A, B]);
    p.parents.store.bookmark?.('20');
    expect(await p.next(60_000)).toEqual([]);
    await p.controller.stop();
  });

  it('waits for all of its writes', async () => {
    let isFirst = true;
    const p = await new Parents((key, { wrote, wroteDelete }, p) => {
      if (key !== A || !isFirst) return;
      isFirst = false;
      wrote(p.children.informer, pod('x', 12));
      wrote(p.children.informer, pod('y', 13));
      wroteDelete(p.parents.informer, pod('b', 2), { kind: 'Status', details: { uid: 'uid-b' } });
    }).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    p.children.store.add(entry('x', 12));
    expect(await p.next()).toEqual(['default/x']);
    p.children.store.bookmark?.('13');
    expect(await p.next()).toEqual([]);
    p.parents.store.delete(entry('b', 14));
    expect((await p.next()).sort()).toEqual([A, B]);
    await p.controller.stop();
  });

  it('is reconciled anyway when the time is over, and that is counted', async () => {
    let isFirst = true;
    const p = await new Parents((key, { wrote }, p) => {
      if (key === A && isFirst) wrote(p.children.informer, pod('a', 12));
      if (key === A) isFirst = false;
    }).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    expect(await p.next(9999)).toEqual([]);
    expect(await p.next(1)).toEqual([A]);
    expect(p.metric('kubeflect_controller_held_timeouts_total')).toBe(1);
    p.parents.store.update(entry('a', 12));
    expect(await p.next()).toEqual([A]);
    await p.controller.stop();
  });

  it('returns with the highest of the priorities with which it was to be reconciled meanwhile', async () => {
    const seen: (string | undefined)[] = [];
    const p = await new Parents((key, { wrote }, p) => {
      seen.push(p.controller.queue.priorityOf(key));
      if (key === A && seen.length < 3) wrote(p.children.informer, pod('a', 12));
    }).start();
    p.controller.queue.add(A, { priority: 'low' });
    await p.next();
    p.parents.store.update(entry('a', 11));
    await p.next();
    seen.length = 0;
    p.children.store.bookmark?.('12');
    await p.next();
    expect(seen).toEqual(['normal']);
    await p.controller.stop();
  });

  it('is held back in its retries, too', async () => {
    let attempts = 0;
    const p = await new Parents((key, { wrote }, p) => {
      if (key !== A || attempts++ > 0) return;
      wrote(p.children.informer, pod('a', 12));
      throw new Error('the second request failed');
    }).start();
    p.calls.length = 0;
    expect(await p.next(5000)).toEqual([]);
    p.children.store.add(entry('a', 12));
    expect(await p.next()).toEqual([A]);
    await p.controller.stop();
  });

  it('is not held back with a time of 0', async () => {
    const p = await new Parents(
      (key, { wrote }, p) => wrote(p.children.informer, pod(`of-${key.slice(-1)}`, 12)),
      { ownWritesTimeoutMs: 0 },
    ).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    expect(await p.next()).toEqual([A]);
    await p.controller.stop();
  });

  it('keeps no worker busy while it is held back', async () => {
    const p = await new Parents(
      (key, { wrote }, p) => {
        if (p.children.informer.lister.get(key) === undefined)
          wrote(p.children.informer, pod(key.slice(-1), 12));
      },
      { concurrency: 1 },
    ).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    p.parents.store.update(entry('b', 12));
    p.parents.store.add(entry('c', 13));
    expect(await p.next()).toEqual(['default/c']);
    expect(p.controller.queue.processing).toBe(0);
    await p.controller.stop();
  });

  it('is reconciled by a stop that drains, when the cache shows the write', async () => {
    const p = await new Parents((key, { wrote }, p) => {
      if (p.children.informer.lister.get(key) === undefined)
        wrote(p.children.informer, pod(key.slice(-1), 12));
    }).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    expect(await p.next()).toEqual([]);
    const stopped = p.controller.stop({ drain: true });
    expect(await p.next(1000)).toEqual([]);
    p.children.store.add(entry('a', 12));
    expect(await p.next()).toEqual([A]);
    await stopped;
  });

  it('does not delay a stop that does not drain', async () => {
    const p = await new Parents((key, { wrote }, p) =>
      wrote(p.children.informer, pod(key.slice(-1), 12)),
    ).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    expect(await p.next()).toEqual([]);
    await p.controller.stop();
    expect(await p.next(20_000)).toEqual([]);
    expect(p.metric('kubeflect_controller_held_keys')).toBe(0);
  });

  it('is not held back by an informer that was stopped', async () => {
    const p = await new Parents((key, { wrote }, p) =>
      wrote(p.children.informer, pod(key.slice(-1), 12)),
    ).start();
    p.calls.length = 0;
    p.parents.store.update(entry('a', 11));
    expect(await p.next()).toEqual([]);
    await p.children.stop();
    expect(await p.next()).toEqual([A]);
    await p.controller.stop();
  });
});

// Held by `npm run typecheck`: a wrong type does not compile.
describe('the context of a reconcile', () => {
  it('takes written objects of the type of their informer, and answers of any form to deletions', () => {
    interface Widget extends KubernetesObject {
      spec: { size: number };
    }
    const report = (context: ReconcileContext, widgets: SharedInformer<Widget>): void => {
      context.wrote(widgets, { metadata: { name: 'w' }, spec: { size: 1 } });
      context.wroteDelete(widgets, { spec: { size: 1 } }, { kind: 'Status', status: 'Success' });
      // @ts-expect-error An object of another type.
      context.wrote(widgets, { metadata: { name: 'w' } });
    };
    expectTypeOf(report).parameter(1).toHaveProperty('caughtUp');
    expectTypeOf<SharedInformer<Widget>>().toExtend<WrittenInformer<Widget>>();
    expect(report).toBeTypeOf('function');
  });
});
