/** Small pieces of work, timed by tinybench. Each is checked once before it is timed: a wrong result is fast for nothing. */
import { Bench } from 'tinybench';
import { median, quantile } from './statistics.mjs';

export const options = { time: { type: 'string', default: '1000' } };

/**
 * A report of `tasks`: `{ name, run, items, bytes? }`. `run` does everything from the start, and throws if its result is wrong; it is for so many items.
 */
export async function microReport(title, tasks, { time }) {
  const bench = new Bench({ time: Number(time), warmupTime: Number(time) / 4 });
  for (const { name, run } of tasks) {
    await run();
    bench.add(name, run);
  }
  await bench.warmup();
  await bench.run();
  const results = tasks.map(({ name, items, bytes }) => {
    const { result } = bench.getTask(name);
    if (result.error !== undefined) throw result.error;
    const medianMs = median(result.samples);
    const micros = (ms) => (ms * 1000) / items;
    return {
      name,
      items,
      micros: micros(medianMs),
      p99Micros: micros(quantile(result.samples, 0.99)),
      margin: result.rme,
      samples: result.samples.length,
      megabytes: bytes === undefined ? Number.NaN : bytes / 1000 / medianMs,
    };
  });
  return {
    tables: [
      {
        title,
        columns: [
          { name: '' },
          { name: 'median', unit: 'µs an item', digits: 3 },
          { name: 'p99', unit: 'µs an item', digits: 3 },
          { name: 'throughput', unit: 'MB/s', digits: 0 },
          { name: 'margin', unit: '± %', digits: 1 },
          { name: 'runs' },
          { name: 'items a run' },
        ],
        rows: results.map((result) => [
          result.name,
          result.micros,
          result.p99Micros,
          result.megabytes,
          result.margin,
          result.samples,
          result.items,
        ]),
      },
    ],
    plots: [
      {
        kind: 'bar',
        title,
        y: 'µs an item',
        points: results.map(({ name, micros }) => [name, micros]),
      },
    ],
    notes: ['the result of each was checked before it was timed'],
    results,
  };
}
