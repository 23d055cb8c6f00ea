import { describe, expect, it } from 'vitest';
import { type WatchOutcome, type WatchRow, watchVerdicts } from '../../bench/cases/watch-verdicts.js';
import type { WatchResult } from '../../bench/runner/watch-run.js';

const RESULT: WatchResult = {
  writtenPerSecond: 200,
  handledPerSecond: 200,
  handledShare: 1,
  p50Ms: 0.5,
  p99Ms: 2,
  p999Ms: 3,
  maxMs: 4,
  behindSeconds: 0,
  cpuPerSecond: 100,
  mainPerSecond: 50,
  serverPerSecond: 10,
  stallMs: Number.NaN,
  relists: 0,
  objectsReadPerSecond: 0,
};

function rowOf(name: string, result: Partial<WatchResult>, row: Partial<WatchRow> = {}): WatchRow {
  const results = [{ ...RESULT, ...result }];
  return { name, encoding: 'json', rate: 200, results, isBehind: false, ...row };
}

function verdictsOf(rows: WatchRow[], outcome: Partial<WatchOutcome> = {}): [text: string, isMet: boolean][] {
  const verdicts = watchVerdicts({ rows, handler: 'object', bytes: 8200, ...outcome });
  return verdicts.map(({ text, isMet }) => [text, isMet]);
}

describe('verdicts of the watch case', () => {
  it('compares latency with the best peer of each figure, whatever its encoding', () => {
    const rows = [
      rowOf('kubeflect', { p50Ms: 0.6, p99Ms: 1.5 }),
      rowOf('client-go', { p50Ms: 0.3, p99Ms: 2 }),
      rowOf('client-go-protobuf', { p50Ms: 0.7, p99Ms: 1.2 }, { encoding: 'protobuf' }),
    ];
    expect(verdictsOf(rows)).toEqual(
      expect.arrayContaining([
        [
          "kubeflect in JSON at 200/s: latency p50 0.60 ms (at most 0.50, the best peer's plus 0.2: client-go)",
          false,
        ],
        [
          "kubeflect in JSON at 200/s: p99 1.50 ms (at most 1.20, the best peer's: client-go-protobuf)",
          false,
        ],
        ['kubeflect in JSON at 200/s: latency p50 0.60 ms (at most 1.00)', true],
      ]),
    );
  });

  it('does not compare latency with a peer that is behind', () => {
    const rows = [
      rowOf('kubeflect', { p50Ms: 3 }, { rate: 5000 }),
      rowOf('client-node', { p50Ms: 1 }, { rate: 5000, isBehind: true }),
    ];
    expect(verdictsOf(rows)).toEqual([]);
  });

  it('fails a kubeflect that is behind', () => {
    const rows = [rowOf('kubeflect', {}, { rate: 5000, isBehind: true })];
    expect(verdictsOf(rows)).toEqual([['kubeflect in JSON at 5000/s: keeps up', false]]);
  });

  it("compares CPU with client-node's, and with half of client-go's in the same encoding", () => {
    const rows = [
      rowOf('kubeflect', { cpuPerSecond: 100 }),
      rowOf('client-node', { cpuPerSecond: 101 }),
      rowOf('client-go', { cpuPerSecond: 190 }),
      rowOf('client-go-protobuf', { cpuPerSecond: 900 }, { encoding: 'protobuf' }),
    ];
    expect(verdictsOf(rows).filter(([text]) => text.includes('CPU'))).toEqual([
      ['kubeflect in JSON at 200/s: CPU 100 ms/s (at most 101, that of client-node)', true],
      ['kubeflect in JSON at 200/s: CPU 100 ms/s (at most 95, half of that of client-go)', false],
    ]);
  });

  it('has a throughput target for handlers that take the key, and one relative to client-go for large pods', () => {
    const fastest = (name: string, handledPerSecond: number): WatchRow =>
      rowOf(name, { handledPerSecond }, { rate: Infinity });
    const rows = [fastest('kubeflect', 49_000), fastest('client-go', 24_000)];
    expect(verdictsOf(rows)).toEqual([]);
    expect(verdictsOf(rows, { handler: 'key' })).toEqual([
      ['kubeflect in JSON at max: 49000 events/s into handlers (at least 50000)', false],
    ]);
    expect(verdictsOf(rows, { bytes: 10_000 })).toEqual([
      ['kubeflect in JSON at max: 49000 events/s into handlers (at least 2x that of client-go: 48000)', true],
    ]);
  });

  it('has a p99 target at 20,000 events per second for handlers that read the object', () => {
    const rows = [rowOf('kubeflect', { p99Ms: 31 }, { rate: 20_000 })];
    expect(verdictsOf(rows)).toEqual([['kubeflect in JSON at 20000/s: p99 31.00 ms (at most 30.00)', false]]);
    expect(verdictsOf(rows, { handler: 'key' })).toEqual([]);
  });
});
