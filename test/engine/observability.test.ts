import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';

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

describe('rest_client_requests_total', () => {
  const scrape = (text: string, code: string, host: string): number =>
    new ScrapedMetrics(text).value('rest_client_requests_total', { code, method: 'GET', host });

  it('counts the requests of an engine by status code, method and host, as client-go does', async () => {
    const engine = world.engine();
    const { host } = new URL(world.server.url);
    await world.server.faults.add({ count: 2, fault: { type: 'status', code: 503 } });
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await informer.synced;
    await expect.poll(() => engine.stats().informers[0]?.isWatching).toBe(true);
    const text = engine.metrics.text();
    expect(scrape(text, '503', host)).toBe(2);
    const answered = (await world.server.requests()).filter(({ path }) => path.includes('configmaps'));
    expect(scrape(text, '200', host) + scrape(text, '503', host)).toBe(answered.length);
  });

  it('counts a request without a response as <error>, and shows nothing of an address but host and port', async () => {
    const engine = world.engine({ connection: { server: 'http://127.0.0.1:1/prefix' } });
    engine.informer(CONFIG_MAPS).start();
    await expect.poll(() => scrape(engine.metrics.text(), '<error>', '127.0.0.1:1')).toBeGreaterThan(0);
    expect(engine.metrics.text()).not.toMatch(/prefix/);
  });
});
