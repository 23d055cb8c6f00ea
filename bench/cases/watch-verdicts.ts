/** The targets of `watch`. */
import type { HandlerKind } from '../contenders/driven.js';
import type { Encoding } from '../contenders/task.js';
import { type Metric, medianOf } from '../report/metrics.js';
import type { Verdict } from '../report/report.js';
import type { Rate, WatchResult } from '../runner/watch-run.js';

export interface WatchRow {
  readonly name: string;
  readonly encoding: Encoding;
  readonly rate: Rate;
  readonly results: readonly WatchResult[];
  readonly isBehind: boolean;
}

export interface WatchOutcome {
  readonly rows: readonly WatchRow[];
  readonly handler: HandlerKind;
  readonly bytes: number;
}

export const HANDLED: Metric<WatchResult> = {
  name: 'into handlers',
  unit: 'events/s',
  digits: 0,
  select: ({ handledPerSecond }) => handledPerSecond,
};
export const P50: Metric<WatchResult> = {
  name: 'latency p50',
  unit: 'ms',
  digits: 2,
  select: ({ p50Ms }) => p50Ms,
};
export const P99: Metric<WatchResult> = { name: 'p99', unit: 'ms', digits: 2, select: ({ p99Ms }) => p99Ms };
export const CPU: Metric<WatchResult> = {
  name: 'CPU',
  unit: 'ms/s',
  digits: 0,
  select: ({ cpuPerSecond }) => cpuPerSecond,
};

/** What a hop between threads may cost. */
const HOP_MS = 0.2;
/** Up to this rate, p50 is below this limit. */
const LOW = { rate: 1000, maxP50Ms: 1 };
const CPU_RATES: readonly Rate[] = [200, 1000];
const HIGH = { rate: 20_000, maxP99Ms: { protobuf: 20, json: 30 } };
const FASTEST = { protobuf: 80_000, json: 50_000 };
/** Of the figures above. */
const BYTES = 8200;
/** With pods of these sizes, as fast as it goes: relative to client-go in the same encoding. */
const LARGE = { bytes: [10_000, 30_000], minRatio: 2 };

export function watchVerdicts(outcome: WatchOutcome): Verdict[] {
  const { rows } = outcome;
  const own = rows.filter(({ name, results }) => name.startsWith('kubeflect') && results.length > 0);
  return own.flatMap((row) => {
    const peers = rows.filter(
      ({ name, rate, results }) => !name.startsWith('kubeflect') && rate === row.rate && results.length > 0,
    );
    return row.rate === Infinity ? fastestVerdicts(row, peers, outcome) : rateVerdicts(row, peers, outcome);
  });
}

function rateVerdicts(row: WatchRow, peers: readonly WatchRow[], outcome: WatchOutcome): Verdict[] {
  const { rate, encoding, isBehind } = row;
  const verdicts: Verdict[] = [];
  if (isBehind) verdicts.push({ text: `${labelOf(row)} keeps up`, isMet: false });
  const keepingUp = peers.filter((peer) => !peer.isBehind);
  for (const [metric, allowance] of [[P50, HOP_MS] as const, [P99, 0] as const]) {
    const best = lowest(metric, keepingUp);
    if (best === undefined) continue;
    const plus = allowance === 0 ? '' : ` plus ${allowance}`;
    const limit = medianOf(metric, best.results) + allowance;
    verdicts.push(atMost(row, metric, limit, `the best peer's${plus}: ${best.name}`));
  }
  if (rate <= LOW.rate) verdicts.push(atMost(row, P50, LOW.maxP50Ms, ''));
  if (CPU_RATES.includes(rate)) verdicts.push(...cpuVerdicts(row, peers));
  if (rate === HIGH.rate && outcome.bytes === BYTES && outcome.handler === 'object')
    verdicts.push(atMost(row, P99, HIGH.maxP99Ms[encoding], ''));
  return verdicts;
}

/** A peer that does not keep up counts too: it would need more. */
function cpuVerdicts(row: WatchRow, peers: readonly WatchRow[]): Verdict[] {
  const clientNode = peers.find(({ name }) => name === 'client-node');
  const clientGo = clientGoOf(row.encoding, peers);
  return [
    ...(clientNode === undefined
      ? []
      : [atMost(row, CPU, medianOf(CPU, clientNode.results), `that of ${clientNode.name}`)]),
    ...(clientGo === undefined
      ? []
      : [atMost(row, CPU, medianOf(CPU, clientGo.results) / 2, `half of that of ${clientGo.name}`)]),
  ];
}

function fastestVerdicts(row: WatchRow, peers: readonly WatchRow[], outcome: WatchOutcome): Verdict[] {
  const handled = medianOf(HANDLED, row.results);
  const text = `${labelOf(row)} ${handled.toFixed(0)} events/s into handlers`;
  if (outcome.handler === 'key' && outcome.bytes === BYTES) {
    const min = FASTEST[row.encoding];
    return [{ text: `${text} (at least ${min})`, isMet: handled >= min }];
  }
  const clientGo = clientGoOf(row.encoding, peers);
  if (!LARGE.bytes.includes(outcome.bytes) || clientGo === undefined) return [];
  const min = LARGE.minRatio * medianOf(HANDLED, clientGo.results);
  const limit = `at least ${LARGE.minRatio}x that of ${clientGo.name}: ${min.toFixed(0)}`;
  return [{ text: `${text} (${limit})`, isMet: handled >= min }];
}

/** In the same encoding. */
function clientGoOf(encoding: Encoding, peers: readonly WatchRow[]): WatchRow | undefined {
  return peers.find((peer) => peer.name.startsWith('client-go') && peer.encoding === encoding);
}

function lowest(metric: Metric<WatchResult>, rows: readonly WatchRow[]): WatchRow | undefined {
  const sorted = [...rows].sort((a, b) => medianOf(metric, a.results) - medianOf(metric, b.results));
  return sorted[0];
}

function atMost(row: WatchRow, metric: Metric<WatchResult>, limit: number, source: string): Verdict {
  const value = medianOf(metric, row.results);
  const { name, unit, digits } = metric;
  const origin = source === '' ? '' : `, ${source}`;
  return {
    text: `${labelOf(row)} ${name} ${value.toFixed(digits)} ${unit} (at most ${limit.toFixed(digits)}${origin})`,
    isMet: value <= limit,
  };
}

function labelOf({ name, encoding, rate }: WatchRow): string {
  const label = name.endsWith(encoding) ? name : `${name} in ${encoding === 'json' ? 'JSON' : 'protobuf'}`;
  return `${label} at ${rate === Infinity ? 'max' : `${rate}/s`}:`;
}
