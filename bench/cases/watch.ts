/**
 * How long after the server's write a change reaches a handler, at rates that controllers have and as fast as it
 * goes, and what it costs. Contenders take turns on one server, and the final cache of each is checked.
 */
import { choice, count, optionalCount, rates, strings } from '../command-line/options.js';
import type { HandlerKind } from '../contenders/driven.js';
import type { Encoding } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { BarPlot, LinePlot, Plot } from '../report/plots.js';
import type { Cell, Report } from '../report/report.js';
import { type DrivenDefinition, drivenContenders } from '../runner/driven-contenders.js';
import {
  DEFAULT_WARM_UP_EVENTS,
  isBehind,
  type Rate,
  runWatch,
  type WatchResult,
} from '../runner/watch-run.js';
import { startFeed } from '../servers/feed.js';
import { type BenchCase, defineCase } from './case.js';
import { CPU, HANDLED, P50, P99, type WatchOutcome, type WatchRow, watchVerdicts } from './watch-verdicts.js';

const DEFAULT_BYTES = 8200;
/** Both without an encoding: what is not the default of kubeflect is its only encoding of custom resources. */
const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

const METRICS: readonly Metric<WatchResult>[] = [
  { name: 'written', unit: 'events/s', digits: 0, select: ({ writtenPerSecond }) => writtenPerSecond },
  HANDLED,
  { name: 'not merged', unit: 'share', digits: 3, select: ({ handledShare }) => handledShare },
  P50,
  P99,
  { name: 'p99.9', unit: 'ms', digits: 2, select: ({ p999Ms }) => p999Ms },
  { name: 'max', unit: 'ms', digits: 1, select: ({ maxMs }) => maxMs },
  CPU,
  { name: 'main thread', unit: 'ms/s', digits: 0, select: ({ mainPerSecond }) => mainPerSecond },
  { name: 'server', unit: 'ms/s', digits: 0, select: ({ serverPerSecond }) => serverPerSecond },
  { name: 'longest stall', unit: 'ms', digits: 1, select: ({ stallMs }) => stallMs },
];
const LATENCY_NAMES: readonly string[] = ['latency p50', 'p99', 'p99.9', 'max'];

export const watch: BenchCase = defineCase(
  {
    objects: count(20_000),
    bytes: count(DEFAULT_BYTES),
    rates: rates([50, 200, 1000, 5000, 20_000, Infinity]),
    seconds: count(8),
    peer: strings(),
    server: choice(['embedded', 'real']),
    handler: choice(['key', 'object', 'reconcile']),
    workers: optionalCount({ min: 0 }),
    encoding: choice(['json', 'protobuf']),
    warmUpEvents: count(DEFAULT_WARM_UP_EVENTS),
    // A contender is warmed up in its own process, at each rate.
    warmUp: count(0, { min: 0 }),
  },
  async ({ rates: requested, rounds, warmUp, peer, encoding, server = 'embedded', ...values }) => {
    const { handler = 'object', objects, bytes, seconds, workers, warmUpEvents } = values;
    const settings = { objects, seconds, handler, workers, warmUpEvents };
    const contenders = await drivenContenders(encoding === undefined ? ENCODINGS : [encoding], peer);
    checkHandlers(contenders, handler);
    const ascending = [...requested].sort((a, b) => a - b);
    const feed = await startFeed(server, { objects, bytes });
    try {
      const runs = contenders.map((contender) => ({ contender, rounds: [] as Map<Rate, WatchResult>[] }));
      for (let round = -warmUp; round < rounds; round++) {
        for (const { contender, rounds: results } of runs) {
          console.error(`round ${round + 1} of ${rounds}: ${contender.name}`);
          const result = await runWatch(feed, contender, ascending, settings);
          checkRelists(contender.name, result);
          if (round >= 0) results.push(result);
        }
      }
      const rows = runs.flatMap(({ contender, rounds: results }) =>
        ascending.map((rate) => rowOf(contender, rate, results)),
      );
      return reportOf(
        { rows, handler, bytes },
        { server, seconds, warmUpEvents, description: feed.description },
      );
    } finally {
      await feed.close();
    }
  },
);

function checkHandlers(contenders: readonly DrivenDefinition[], handler: HandlerKind): void {
  const without = contenders.find(({ name }) => name === 'client-node' || name === 'kube-rs');
  if (handler === 'reconcile' && without !== undefined)
    throw new Error(`${without.name} has no work queue: leave it out of --peer with --handler reconcile`);
}

function checkRelists(name: string, results: ReadonlyMap<Rate, WatchResult>): void {
  for (const [rate, { relists }] of results) {
    if (name.startsWith('kubeflect') && relists > 0)
      throw new Error(`${name} relisted ${relists} times at ${rate} events/s`);
  }
}

/** A contender that fell behind in any round is behind: its latencies are those of a queue that grows. */
function rowOf(
  { name, encoding }: DrivenDefinition,
  rate: Rate,
  rounds: readonly ReadonlyMap<Rate, WatchResult>[],
): WatchRow {
  const results = rounds.flatMap((round) => round.get(rate) ?? []);
  const isIncomplete = results.length < rounds.length;
  return {
    name,
    encoding,
    rate,
    results,
    isBehind: rate !== Infinity && (isIncomplete || results.some(isBehind)),
  };
}

interface RunDescription {
  readonly server: string;
  readonly seconds: number;
  readonly warmUpEvents: number;
  readonly description: string;
}

function reportOf(
  outcome: WatchOutcome,
  { server, seconds, warmUpEvents, description }: RunDescription,
): Report {
  const { rows, handler, bytes } = outcome;
  const byRate = [...rows].sort((a, b) => a.rate - b.rate);
  return {
    section: sectionOf(server, outcome),
    tables: [
      {
        title: `Updates for ${seconds} s at each rate, handlers that ${HANDLER_NAMES[handler]}: ${description}`,
        columns: [
          { name: 'requested' },
          { name: '' },
          { name: 'encoding' },
          ...columnsOf(METRICS),
          { name: 'behind' },
        ],
        rows: byRate.map((row) => [
          rateName(row.rate),
          row.name,
          encodingName(row.encoding),
          ...cellsOf(row),
        ]),
      },
    ],
    plots: plotsOf(rows),
    notes: [
      `latency: from the server's write of a change to ${LATENCY_ENDS[handler]}, by a clock that all processes share`,
      'median (min-max) of the rounds, in which contenders took turns on one server; at the end every cache had the count and the digest of the server',
      `every process first handles ${warmUpEvents.toLocaleString('en')} updates: a controller runs for months, and its code is compiled in the first minutes`,
      'CPU: of all threads of the process, and of the server, which shares the cores. A server that needs nearly a core may be the limit',
      'behind: the last event was handled more than a second after its write; latencies are those of a growing queue, and are not compared',
      ...(rows.some(({ results }) => results.some(({ relists }) => relists > 0))
        ? [`relists: ${relistsOf(rows)}`]
        : []),
      `pods of ${bytes} bytes in JSON; the protobuf of the same pods is smaller`,
      ...(server === 'real' ? ['latencies include what kube-apiserver and etcd take for a write'] : []),
    ],
    // The targets are those of a server that only feeds watches: a real one writes to etcd first.
    verdicts: server === 'embedded' ? watchVerdicts(outcome) : [],
    results: Object.fromEntries(
      rows.map(({ name, rate, results }) => [`${name} ${rateName(rate)}`, results]),
    ),
  };
}

const HANDLER_NAMES: Readonly<Record<HandlerKind, string>> = {
  key: 'take the key',
  object: 'read the object',
  reconcile: 'fill a work queue',
};
const LATENCY_ENDS: Readonly<Record<HandlerKind, string>> = {
  key: 'the call of the handler',
  object: 'the moment when the handler has read the object',
  reconcile: 'the moment when reconcile has read the object from the cache',
};

/** Each combination that is worth keeping has its own section. */
function sectionOf(server: string, { handler, bytes }: WatchOutcome): string {
  return [
    'watch',
    ...(server === 'embedded' ? [] : [server]),
    ...(handler === 'object' ? [] : [handler]),
    ...(bytes === DEFAULT_BYTES ? [] : [bytes]),
  ].join('-');
}

function rateName(rate: Rate): string {
  return rate === Infinity ? 'max' : String(rate);
}

function encodingName(encoding: Encoding): string {
  return encoding === 'json' ? 'JSON' : 'protobuf';
}

function cellsOf({ rate, results, isBehind: isRowBehind }: WatchRow): Cell[] {
  if (results.length === 0) return [...METRICS.map(() => undefined), 'not measured: behind at a lower rate'];
  const hasLatency = rate !== Infinity && !isRowBehind;
  const spreads = spreadsOf(METRICS, results).map((spread, i) =>
    hasLatency || !LATENCY_NAMES.includes(METRICS[i]?.name ?? '') ? spread : undefined,
  );
  const seconds = medianOf({ select: ({ behindSeconds }) => behindSeconds }, results);
  return [...spreads, isRowBehind ? `${seconds.toFixed(1)} s behind` : undefined];
}

function relistsOf(rows: readonly WatchRow[]): string {
  const found = rows.filter(({ results }) => results.some(({ relists }) => relists > 0));
  return found.map(({ name, rate }) => `${name} at ${rateName(rate)}`).join(', ');
}

function plotsOf(rows: readonly WatchRow[]): Plot[] {
  const plots: Plot[] = [];
  if (rows.some(({ rate }) => rate !== Infinity)) {
    plots.push(
      lineOf('Latency, median', 'latency p50, ms', P50, rows),
      lineOf('Latency, p99', 'latency p99, ms', P99, rows),
      lineOf('CPU of the process', 'CPU, ms per second', CPU, rows),
    );
  }
  const fastest = rows.filter(({ rate, results }) => rate === Infinity && results.length > 0);
  if (fastest.length > 0) plots.push(fastestPlot(fastest));
  return plots;
}

/** Without the rates at which a contender is behind. */
function lineOf(title: string, y: string, metric: Metric<WatchResult>, rows: readonly WatchRow[]): LinePlot {
  const shown = rows.filter(({ rate, isBehind: isRowBehind }) => rate !== Infinity && !isRowBehind);
  return {
    kind: 'line',
    title,
    x: 'updates of the server, events/s',
    y,
    isLogarithmic: true,
    series: [...new Set(shown.map(({ name }) => name))].map((name) => ({
      name,
      points: shown
        .filter((row) => row.name === name)
        .map(({ rate, results }) => [rate, medianOf(metric, results)]),
    })),
  };
}

function fastestPlot(rows: readonly WatchRow[]): BarPlot {
  return {
    kind: 'bar',
    title: 'As fast as it goes',
    y: 'into handlers, events/s',
    points: rows.map(({ name, results }) => [name, medianOf(HANDLED, results)]),
  };
}
