import { Metrics, runController } from 'kubeflect';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';
import { entry } from '../support/objects/entries.js';

/** controller-runtime's buckets, as its documentation lists them. */
const BUCKETS =
  `0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5
  4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60 +Inf`.split(/\s+/);

/** Name → type and labels, as controller-runtime registers them. */
const FAMILIES = {
  controller_runtime_reconcile_total: ['counter', ['controller', 'result']],
  controller_runtime_reconcile_errors_total: ['counter', ['controller']],
  controller_runtime_terminal_reconcile_errors_total: ['counter', ['controller']],
  controller_runtime_reconcile_timeouts_total: ['counter', ['controller']],
  controller_runtime_reconcile_time_seconds: ['histogram', ['controller']],
  controller_runtime_active_workers: ['gauge', ['controller']],
  controller_runtime_max_concurrent_reconciles: ['gauge', ['controller']],
} as const;

const LABELS = { controller: 'copies' };

describe('the metrics of a controller', () => {
  it('have the names, types, labels and buckets of controller-runtime, and exist from the start', async () => {
    const h = new InformerHarness();
    const metrics = new Metrics();
    await using _ = runController({
      informer: h.informer,
      clock: h.clock,
      metrics,
      name: 'copies',
      concurrency: 3,
      reconcile: () => {},
    });
    const scraped = new ScrapedMetrics(metrics.text());
    for (const [name, [type, labels]] of Object.entries(FAMILIES)) {
      const line = type === 'histogram' ? `${name}_count` : name;
      expect([name, scraped.typeOf(name), scraped.labelNames(line)]).toEqual([name, type, labels]);
    }
    const results = ['success', 'error', 'requeue', 'requeue_after'];
    const total = (result: string) =>
      scraped.value('controller_runtime_reconcile_total', { ...LABELS, result });
    expect(results.map(total)).toEqual([0, 0, 0, 0]);
    expect(scraped.value('controller_runtime_max_concurrent_reconciles', LABELS)).toBe(3);
    expect(scraped.bounds('controller_runtime_reconcile_time_seconds')).toEqual(BUCKETS);
  });

  it('count each reconcile by what followed from it, how long it took, and those that are running', async () => {
    const h = new InformerHarness();
    const metrics = new Metrics();
    const releases: (() => void)[] = [];
    await using _ = runController({
      informer: h.informer,
      clock: h.clock,
      metrics,
      name: 'copies',
      concurrency: 2,
      onError: () => {},
      reconcile: async (key, { retries }) => {
        await new Promise<void>((resolve) => releases.push(resolve));
        if (key.endsWith('/a') && retries === 0) throw new Error('not yet');
        return key.endsWith('/b') ? { requeueAfterMs: 3_600_000 } : undefined;
      },
    });
    const scrape = () => new ScrapedMetrics(metrics.text());
    const release = async (): Promise<void> => {
      await h.clock.flush();
      for (const resolve of releases.splice(0)) resolve();
      await h.clock.flush();
    };
    await h.start([[entry('a', 1), entry('b', 2), entry('c', 3)], '3']);
    await h.clock.flush();
    expect(scrape().value('controller_runtime_active_workers', LABELS)).toBe(2);
    await h.clock.advance(2_000);
    await release();
    await release();
    await h.clock.advance(1_000);
    await release();
    const scraped = scrape();
    expect(scraped.value('controller_runtime_active_workers', LABELS)).toBe(0);
    const total = (result: string) =>
      scraped.value('controller_runtime_reconcile_total', { ...LABELS, result });
    expect(['success', 'error', 'requeue', 'requeue_after'].map(total)).toEqual([2, 1, 0, 1]);
    expect(scraped.value('controller_runtime_reconcile_errors_total', LABELS)).toBe(1);
    expect(scraped.value('controller_runtime_terminal_reconcile_errors_total', LABELS)).toBe(0);
    const time = 'controller_runtime_reconcile_time_seconds';
    const upTo = (le: string): number => scraped.value(`${time}_bucket`, { ...LABELS, le });
    expect(scraped.value(`${time}_count`, LABELS)).toBe(4);
    expect([upTo('1.75'), upTo('2')]).toEqual([2, 4]);
  });

  it('can all be taken over by a registry of prom-client, histograms included', async () => {
    const h = new InformerHarness();
    const metrics = new Metrics();
    const registry = new Registry();
    metrics.register(registry);
    await using _ = runController({
      informer: h.informer,
      clock: h.clock,
      metrics,
      name: 'copies',
      reconcile: () => {},
    });
    await h.start([[entry('a', 1)], '1']);
    await h.clock.flush();
    const taken = new ScrapedMetrics(await registry.metrics());
    for (const [name, [type]] of Object.entries(FAMILIES))
      expect([name, taken.typeOf(name)]).toEqual([name, type]);
    expect(taken.value('controller_runtime_reconcile_total', { ...LABELS, result: 'success' })).toBe(1);
    const all = { ...LABELS, le: '+Inf' };
    expect(taken.value('controller_runtime_reconcile_time_seconds_bucket', all)).toBe(1);
  });
});
