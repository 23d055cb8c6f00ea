import { describe, expect, it } from 'vitest';
import {
  type InformerResource,
  informerKey,
  SharedInformerFactory,
  waitForCacheSync,
} from '#dist/src/informer/shared-informer-factory.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

function factory(): { factory: SharedInformerFactory; made: InformerHarness[] } {
  const made: InformerHarness[] = [];
  return {
    made,
    factory: new SharedInformerFactory({
      create: () => {
        const harness = new InformerHarness();
        made.push(harness);
        return harness.informer as never;
      },
    }),
  };
}

const pods: InformerResource = { apiVersion: 'v1', plural: 'pods' };
const nodes: InformerResource = { apiVersion: 'v1', plural: 'nodes' };

describe('SharedInformerFactory', () => {
  it('makes one informer per resource and selectors', () => {
    const { factory: f, made } = factory();
    expect(f.informer(pods)).toBe(f.informer({ ...pods }));
    f.informer({ ...pods, labelSelector: 'a=b' });
    f.informer({ ...pods, namespace: 'x' });
    f.informer(nodes);
    expect(made).toHaveLength(4);
    expect(informerKey({ ...pods, namespace: ['b', 'a'] })).toBe(
      informerKey({ ...pods, namespace: ['a', 'b'] }),
    );
  });

  it('starts those that are not started, and waits only for those that are', async () => {
    const { factory: f, made } = factory();
    f.informer(pods);
    f.start();
    f.start();
    f.informer(nodes);
    await made[0]?.start([[entry('a', 1)], '1']);
    expect([...(await f.waitForCacheSync())]).toEqual([[informerKey(pods), true]]);
    expect(made.map((h) => h.informer.isStarted)).toEqual([true, false]);
    f.start();
    expect(made.map((h) => h.informer.isStarted)).toEqual([true, true]);
    await f.shutdown();
  });

  it('says which have not synced when the wait is aborted', async () => {
    const { factory: f, made } = factory();
    f.informer(pods);
    f.informer(nodes);
    f.start();
    await made[0]?.start([[], '1']);
    const abort = new AbortController();
    const waiting = f.waitForCacheSync({ signal: abort.signal });
    abort.abort();
    expect([...(await waiting)]).toEqual([
      [informerKey(pods), true],
      [informerKey(nodes), false],
    ]);
    await f.shutdown();
  });

  it('stops all at shutdown, for good', async () => {
    const { factory: f, made } = factory();
    f.informer(pods);
    f.start();
    await f.shutdown();
    expect(made[0]?.informer.isStopped).toBe(true);
    expect(() => f.start()).toThrow(expect.objectContaining({ code: 'KUBEFLECT_INFORMER_STOPPED' }));
  });
});

describe('waitForCacheSync', () => {
  it('is true when all have synced, handlers too', async () => {
    const h = new InformerHarness();
    const registration = h.informer.addEventHandler({});
    const waiting = waitForCacheSync([h.informer, registration]);
    await h.start([[entry('a', 1)], '1']);
    expect(await waiting).toBe(true);
    await h.informer.stop();
  });

  it('is false when one was stopped before, or the signal aborted before', async () => {
    const h = new InformerHarness();
    const waiting = waitForCacheSync([h.informer]);
    await h.informer.stop();
    expect(await waiting).toBe(false);
    const other = new InformerHarness();
    expect(await waitForCacheSync([other.informer], { signal: AbortSignal.abort() })).toBe(false);
  });
});
