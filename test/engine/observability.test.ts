import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';

let world: EngineFixture;

beforeEach(async () => {
  world = await EngineFixture.start({ bookmarkIntervalMs: 100 });
  await world.configMap('a', { value: '1' });
});
afterEach(() => world.close());

/** The number that Prometheus would see. */
function metric(text: string, name: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name}{`));
  return Number(line?.slice(line.lastIndexOf(' ') + 1));
}

describe('Engine.stats', () => {
  it('reports a utilization between 0 and 1, also when called twice in a row', async () => {
    const engine = world.engine({ workers: 1 });
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await informer.synced;
    const loads = Array.from({ length: 500 }, () => engine.stats().workers[0]?.utilization);
    expect(loads.filter((load) => load === undefined || load < 0 || load > 1)).toEqual([]);
  });

  it('shows whether a cache is fresh, and why it is not', async () => {
    const engine = world.engine({ workers: 1 });
    const informer = engine.informer(CONFIG_MAPS);
    const look = () => engine.stats().informers[0];
    informer.start();
    await informer.synced;
    await expect.poll(() => look()?.isWatching).toBe(true);
    // A change elsewhere: the embedded server has a bookmark only for what is new.
    await world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } });
    await expect.poll(() => look()?.lastBookmarkAgeMs).toBeGreaterThanOrEqual(0);
    expect(look()).toMatchObject({ state: 'synced', lagMs: 0, relists: 0, queued: 0 });
    const text = engine.metrics.text();
    expect(metric(text, 'kubeflect_informer_watching')).toBe(1);
    expect(metric(text, 'kubeflect_informer_lag_seconds')).toBe(0);
    expect(metric(text, 'kubeflect_informer_lists_total')).toBe(1);
    expect(metric(text, 'kubeflect_informer_events_total')).toBeGreaterThan(0);
    expect(metric(text, 'kubeflect_informer_last_bookmark_age_seconds')).toBeLessThan(60);
    expect(metric(text, 'kubeflect_informer_last_event_age_seconds')).toBeGreaterThanOrEqual(0);
    expect(metric(text, 'kubeflect_worker_restarts_total')).toBe(0);
    expect(metric(text, 'kubeflect_worker_streams')).toBe(1);

    // A server that refuses: what is known stays readable, and says how old it is.
    await world.server.faults.add({ fault: { type: 'status', code: 503 } });
    await world.server.closeWatches();
    await expect.poll(() => look()?.isWatching).toBe(false);
    await expect.poll(() => look()?.lagMs).toBeGreaterThan(0);
    expect(metric(engine.metrics.text(), 'kubeflect_informer_watching')).toBe(0);
    expect(metric(engine.metrics.text(), 'kubeflect_informer_lag_seconds')).toBeGreaterThan(0);
    expect(informer.lister.get('default/a')).toBeDefined();

    await world.server.faults.clear();
    await expect.poll(() => look()?.isWatching).toBe(true);
    void engine.threads[0]?.terminate();
    await expect.poll(() => metric(engine.metrics.text(), 'kubeflect_worker_restarts_total')).toBe(1);
    await expect.poll(() => look()).toMatchObject({ isWatching: true, lagMs: 0 });

    await informer.stop();
    expect(engine.metrics.text()).not.toContain('kubeflect_informer_watching{');
  });
});
