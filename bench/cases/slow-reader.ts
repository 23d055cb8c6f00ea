/**
 * Whether a program that reads the whole cache over and over delays its events (kubernetes/kubernetes#130767).
 */
import { count, optionalCount, strings } from '../command-line/options.js';
import { READERS, type Reader } from '../contenders/driven.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { Report } from '../report/report.js';
import { type DrivenDefinition, drivenContenders } from '../runner/driven-contenders.js';
import { expectEqual } from '../runner/driven-process.js';
import {
  DEFAULT_WARM_UP_EVENTS,
  measureAt,
  startWatch,
  type WatchResult,
  type WatchSettings,
} from '../runner/watch-run.js';
import { type Feed, startFeed } from '../servers/feed.js';
import { type BenchCase, defineCase } from './case.js';

interface SlowReaderRow {
  readonly contender: DrivenDefinition;
  readonly reader: Reader | 'none';
  readonly results: WatchResult[];
}

const MAX_P99_MS = 50;

const P99: Metric<WatchResult> = { name: 'p99', unit: 'ms', digits: 1, select: ({ p99Ms }) => p99Ms };
const METRICS: readonly Metric<WatchResult>[] = [
  { name: 'into handlers', unit: 'events/s', digits: 0, select: ({ handledPerSecond }) => handledPerSecond },
  { name: 'event lag p50', unit: 'ms', digits: 1, select: ({ p50Ms }) => p50Ms },
  P99,
  { name: 'max', unit: 'ms', digits: 0, select: ({ maxMs }) => maxMs },
  {
    name: 'read',
    unit: 'objects/s',
    digits: 0,
    select: ({ objectsReadPerSecond }) => objectsReadPerSecond,
  },
  { name: 'CPU', unit: 'ms/s', digits: 0, select: ({ cpuPerSecond }) => cpuPerSecond },
];

export const slowReader: BenchCase = defineCase(
  {
    objects: count(100_000),
    bytes: count(8200),
    rate: count(5000),
    seconds: count(8),
    peer: strings(),
    workers: optionalCount({ min: 0 }),
    warmUpEvents: count(DEFAULT_WARM_UP_EVENTS),
    // A contender is warmed up in its own process.
    warmUp: count(0, { min: 0 }),
  },
  async ({ objects, bytes, rate, seconds, peer, workers, warmUpEvents, rounds, warmUp }) => {
    const contenders = await drivenContenders(['protobuf'], peer);
    const rows = contenders.flatMap((contender): SlowReaderRow[] =>
      // Peers have one way to read everything.
      (contender.name === 'kubeflect' ? (['none', ...READERS] as const) : (['none', 'list'] as const)).map(
        (reader) => ({ contender, reader, results: [] }),
      ),
    );
    const feed = await startFeed('embedded', { objects, bytes });
    try {
      for (let round = -warmUp; round < rounds; round++) {
        for (const row of rows) {
          console.error(`round ${round + 1} of ${rounds}: ${row.contender.name}, reader ${row.reader}`);
          const settings = { objects, seconds, workers, warmUpEvents, handler: 'key' } as const;
          const result = await runReader(feed, row, rate, settings);
          if (round >= 0) row.results.push(result);
        }
      }
      return reportOf(rows, { rate, description: feed.description });
    } finally {
      await feed.close();
    }
  },
);

async function runReader(
  feed: Feed,
  { contender, reader }: SlowReaderRow,
  rate: number,
  settings: WatchSettings,
): Promise<WatchResult> {
  const running = contender.start();
  try {
    await startWatch(feed, running, contender.encoding, settings);
    if (reader !== 'none') await running.call('readContinuously', { reader });
    const result = await measureAt(rate, feed, running, settings);
    await expectEqual(running, await feed.digest());
    if (reader !== 'none' && !(result.objectsReadPerSecond > 0)) throw new Error('the reader read nothing');
    return result;
  } finally {
    await running.end();
  }
}

function reportOf(
  rows: readonly SlowReaderRow[],
  { rate, description }: { rate: number; description: string },
): Report {
  return {
    tables: [
      {
        title: `${rate} updates per second while the program reads the whole cache: ${description}`,
        columns: [{ name: '' }, { name: 'reads by' }, ...columnsOf(METRICS)],
        rows: rows.map(({ contender, reader, results }) => [
          contender.name,
          reader,
          ...spreadsOf(METRICS, results),
        ]),
      },
    ],
    plots: [
      {
        kind: 'bar',
        title: 'Event lag while the whole cache is read',
        y: 'event lag p99, ms',
        points: rows.map(({ contender, reader, results }) => [
          `${contender.name}, ${reader}`,
          medianOf(P99, results),
        ]),
      },
    ],
    notes: [
      "event lag: from the server's write to the call of the handler; at the end every cache had the count and the digest of the server",
      'scan: decodes every object in slices; entries: reads the keys; list: decodes every object in one turn of the event loop, as its documentation warns. One pass after another, with one turn of the event loop in between',
    ],
    verdicts: rows
      .filter(({ contender, reader }) => contender.name === 'kubeflect' && reader !== 'none')
      .map(({ reader, results }) => {
        const p99 = medianOf(P99, results);
        const text = `event lag p99 ${p99.toFixed(1)} ms while lister.${reader} reads everything (at most ${MAX_P99_MS})`;
        return { text, isMet: p99 <= MAX_P99_MS };
      }),
    results: Object.fromEntries(
      rows.map(({ contender, reader, results }) => [`${contender.name} ${reader}`, results]),
    ),
  };
}
