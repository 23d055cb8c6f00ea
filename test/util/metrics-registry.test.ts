import { Metrics } from 'kubeflect';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

function lines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe('Metrics.register', () => {
  it('makes a registry of prom-client report exactly what text() reports', async () => {
    const metrics = new Metrics();
    metrics.counter('c_total', 'A counter.').labels({ informer: 'pods "a"' }).increment(3);
    metrics.histogram('h_seconds', 'A histogram.', [0.1, 1]).labels({}).observe(0.5);
    const registry = new Registry();
    metrics.register(registry);
    expect(lines(await registry.metrics())).toEqual(lines(metrics.text()));
  });

  it('writes infinity as Prometheus reads it, in both', async () => {
    const metrics = new Metrics();
    const registry = new Registry();
    metrics.gauge('up', 'A gauge.').labels({}).set(Number.POSITIVE_INFINITY);
    metrics.gauge('down', 'A gauge.').labels({}).set(Number.NEGATIVE_INFINITY);
    metrics.register(registry);
    for (const text of [metrics.text(), await registry.metrics()]) {
      expect(lines(text)).toEqual(expect.arrayContaining(['up +Inf', 'down -Inf']));
    }
  });

  it('adds metrics that are created later, and reads values when they are scraped', async () => {
    const metrics = new Metrics();
    const registry = new Registry();
    metrics.register(registry);
    let value = 1;
    metrics
      .gauge('g', 'A gauge.')
      .labels({ worker: '0' })
      .read(() => value);
    expect(await registry.metrics()).toContain('g{worker="0"} 1');
    value = 2;
    expect(await registry.metrics()).toContain('g{worker="0"} 2');
  });

  it('throws for a name that the registry has already', () => {
    const registry = new Registry();
    const [first, second] = [new Metrics(), new Metrics()];
    for (const metrics of [first, second]) metrics.counter('c_total', 'A counter.');
    first?.register(registry);
    expect(() => second?.register(registry)).toThrow('c_total');
  });
});
