import { expect, it } from 'vitest';
import { workerExecArgv } from '#dist/src/pool/piscina-thread.js';
import { heartbeatIntervals, RestartBackoff } from '#dist/src/pool/worker-death.js';

it('restarts a thread immediately the first time, then with exponential backoff', () => {
  const backoff = new RestartBackoff({ initialMs: 100, maxMs: 500 });
  expect([10, 10, 10, 10, 10, 10].map((ranMs) => backoff.next(ranMs))).toEqual([0, 100, 200, 400, 500, 500]);
});

it('never retries a thread immediately that could not start', () => {
  const backoff = new RestartBackoff({ initialMs: 100, maxMs: 500 });
  expect([0, 0, 0, 0].map((ranMs) => backoff.next(ranMs))).toEqual([100, 200, 400, 500]);
});

it('restarts a thread immediately again after it has run for long enough', () => {
  const backoff = new RestartBackoff({ initialMs: 100, healthyMs: 1000 });
  expect([10, 10, 1000, 10].map((ranMs) => backoff.next(ranMs))).toEqual([0, 100, 0, 100]);
});

it('passes only flags that load modules on to threads', () => {
  const flags = [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    'code',
    '--require=./a.cjs',
    '-C',
    'dev',
    '--inspect',
  ];
  expect(workerExecArgv(flags)).toEqual(['--import', 'tsx', '--require=./a.cjs', '-C', 'dev']);
});

it('ticks at least twice per check, and rarely while the timeout is long', () => {
  expect(heartbeatIntervals(30_000)).toEqual({ tickMs: 3750, checkMs: 7500 });
  expect(heartbeatIntervals(1000)).toEqual({ tickMs: 125, checkMs: 250 });
  expect(heartbeatIntervals(100)).toEqual({ tickMs: 13, checkMs: 25 });
});
