import diagnosticsChannel from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from 'vitest';
import { Metrics } from '#dist/src/util/metrics.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

const subscriptions: [string, (message: unknown) => void][] = [];

function listen(name: string): unknown[] {
  const messages: unknown[] = [];
  const listener = (message: unknown): void => void messages.push(message);
  diagnosticsChannel.subscribe(name, listener);
  subscriptions.push([name, listener]);
  return messages;
}

afterEach(() => {
  for (const [name, listener] of subscriptions.splice(0)) diagnosticsChannel.unsubscribe(name, listener);
});

describe('Diagnostics channels', () => {
  it('publish the life cycle of an informer, by name, without object data', async () => {
    const names = ['start', 'synced', 'replaced', 'reset', 'stop'];
    const messages = names.map((name) => listen(`kubeflect:informer:${name}`));
    const h = new InformerHarness();
    await h.start([[entry('a', 10), entry('b', 11)], '20']);
    h.store.replace([entry('a', 12)], '15');
    await h.clock.drain();
    await h.informer.stop();
    expect(messages).toEqual([
      [{ informer: 'pods' }],
      [{ informer: 'pods', objects: 2 }],
      [
        { informer: 'pods', objects: 2, changed: 2, deleted: 0, resourceVersion: '20' },
        { informer: 'pods', objects: 1, changed: 1, deleted: 1, resourceVersion: '15' },
      ],
      [{ informer: 'pods', from: '20', to: '15' }],
      [{ informer: 'pods' }],
    ]);
  });

  it('S22 nothing silent: errors are published, counted and shown in health', async () => {
    const messages = listen('kubeflect:error');
    const metrics = new Metrics();
    const h = new InformerHarness({ metrics });
    h.informer.addEventHandler({
      onAdd() {
        throw new Error('no');
      },
    });
    await h.start([[entry('a', 1)], '1']);
    await h.clock.advance(700);
    expect(messages).toMatchObject([{ informer: 'pods', error: { code: 'KUBEFLECT_HANDLER_FAILED' } }]);
    expect(metrics.text()).toContain('code="KUBEFLECT_HANDLER_FAILED"} 1');
    expect(h.informer.health().lastError).toMatchObject({
      code: 'KUBEFLECT_HANDLER_FAILED',
      ageMs: 700,
    });
    await h.informer.stop();
  });

  it('become process warnings without an error handler, at most one per second', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const h = new InformerHarness({ onError: undefined as never });
      h.informer.addEventHandler({
        onAdd() {
          throw new Error('secret data');
        },
      });
      await h.start([Array.from({ length: 100 }, (_, i) => entry(`p${i}`, i + 1)), '100']);
      await h.clock.advance(1000);
      h.store.add(entry('x', 101));
      await h.clock.drain();
      await h.informer.stop();
    } finally {
      process.off('warning', onWarning);
    }
    expect(warnings.map((w) => [w.name, (w as Error & { code: string }).code])).toEqual([
      ['KubeflectWarning', 'KUBEFLECT_HANDLER_FAILED'],
      ['KubeflectWarning', 'KUBEFLECT_HANDLER_FAILED'],
    ]);
    expect(warnings[0]?.message).toContain('default/p0');
    expect(warnings[0]?.message).not.toContain('secret');
  });

  it('survive an error handler that throws', async () => {
    const h = new InformerHarness({
      onError: () => {
        throw new Error('no');
      },
    });
    const registration = h.informer.addEventHandler({
      onAdd() {
        throw new Error('no');
      },
    });
    await h.start([[entry('a', 1)], '1']);
    expect(registration.hasSynced).toBe(true);
    await h.informer.stop();
  });
});

describe('Informer metrics', () => {
  it("have client-go's names and labels, and are removed with the informer", async () => {
    const metrics = new Metrics();
    const h = new InformerHarness({
      metrics,
      resource: { group: '', version: 'v1', resource: 'pods' },
    });
    h.informer.addEventHandler({ onUpdate: () => new Promise(() => {}) }, { name: 'mine' });
    await h.start([[entry('a', 1), entry('b', 2)], '1234567890123456789']);
    h.store.update(entry('a', '1234567890123456790'));
    h.store.update(entry('a', '1234567890123456790'));
    h.store.update(entry('b', '1234567890123456791'));
    await h.clock.drain();
    h.store.add(entry('queued', '1234567890123456792'));
    const labels = 'name="pods",group="",version="v1",resource="pods"';
    const text = metrics.text();
    expect(text).toContain(`informer_queued_items{${labels}} 1\n`);
    expect(text).toContain(`informer_store_resource_version{${labels}} 567890123456791\n`);
    expect(text).toContain(`informer_processing_latency_seconds_bucket{${labels},le="+Inf"} `);
    expect(text).toContain(`kubeflect_informer_objects{${labels}} 2\n`);
    expect(text).toContain(`kubeflect_handler_pending{${labels},handler="mine"} 1\n`);
    expect(text).toContain(`kubeflect_informer_skipped_total{${labels},reason="unchanged"} 1\n`);
    await h.stop();
    expect(metrics.text()).toBe('');
  });

  it('are valid Prometheus text format', () => {
    const metrics = new Metrics();
    metrics.counter('c_total', 'Help.').labels({ a: 'q"u\\o\nte' }).increment(2);
    metrics.counter('c_total', 'Help.').labels({ a: 'q"u\\o\nte' }).increment();
    const histogram = metrics.histogram('h_seconds', 'Help.', [0.1, 1]).labels({});
    for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value);
    expect(metrics.text()).toBe(
      [
        '# HELP c_total Help.',
        '# TYPE c_total counter',
        'c_total{a="q\\"u\\\\o\\nte"} 3',
        '# HELP h_seconds Help.',
        '# TYPE h_seconds histogram',
        'h_seconds_bucket{le="0.1"} 2',
        'h_seconds_bucket{le="1"} 3',
        'h_seconds_bucket{le="+Inf"} 4',
        'h_seconds_sum 3.65',
        'h_seconds_count 4',
        '',
      ].join('\n'),
    );
  });
});

describe('Informer health', () => {
  it('distinguishes events from bookmarks, and counts a resync as neither', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 10_000 });
    await h.start([[entry('a', 1)], '5']);
    await h.clock.advance(3000);
    h.store.bookmark?.('9');
    await h.clock.advance(4000);
    const ages = { lastEventAgeMs: 7000, lastBookmarkAgeMs: 4000, lastAppliedAgeMs: 4000 };
    expect(h.informer.health()).toMatchObject({ resourceVersion: '9', ...ages });
    h.store.resync();
    await h.clock.advance(0);
    expect(h.informer.health()).toMatchObject(ages);
    h.store.add(entry('b', 10));
    await h.clock.advance(0);
    expect(h.informer.health()).toMatchObject({ lastEventAgeMs: 0, lastBookmarkAgeMs: 4000 });
    await h.stop();
  });

  it('reports what is stored, how old it is, and which handlers are behind', async () => {
    const h = new InformerHarness();
    h.informer.addEventHandler({}, { name: 'mine' });
    expect(h.informer.health()).toMatchObject({ state: 'new', lastAppliedAgeMs: undefined, objects: 0 });
    await h.start([[entry('a', 1)], '5']);
    await h.clock.advance(3000);
    h.store.add(entry('b', 6));
    expect(h.informer.health()).toEqual({
      name: 'pods',
      state: 'synced',
      objects: 1,
      resourceVersion: '5',
      lastAppliedAgeMs: 3000,
      lastEventAgeMs: 3000,
      lastBookmarkAgeMs: undefined,
      queued: 1,
      rejected: 0,
      handlers: [{ name: 'mine', hasSynced: true, pending: 0, isMerging: false, callAgeMs: undefined }],
      lastError: undefined,
    });
    await h.stop();
  });
});
