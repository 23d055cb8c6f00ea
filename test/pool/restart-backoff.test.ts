import { expect, it } from 'vitest';
import { RestartBackoff } from '#dist/src/pool/restart-backoff.js';
import { workerExecArgv } from '#dist/src/pool/worker-exec-argv.js';

it('the first restart is at once, later ones after longer and longer waits', () => {
  const backoff = new RestartBackoff({ initialMs: 100, maxMs: 500 });
  expect([10, 10, 10, 10, 10, 10].map((ranMs) => backoff.next(ranMs))).toEqual([0, 100, 200, 400, 500, 500]);
});

it('a thread that could not start is never tried again at once', () => {
  const backoff = new RestartBackoff({ initialMs: 100, maxMs: 500 });
  expect([0, 0, 0, 0].map((ranMs) => backoff.next(ranMs))).toEqual([100, 200, 400, 500]);
});

it('a thread that ran for long is forgiven', () => {
  const backoff = new RestartBackoff({ initialMs: 100, healthyMs: 1000 });
  expect([10, 10, 1000, 10].map((ranMs) => backoff.next(ranMs))).toEqual([0, 100, 0, 100]);
});

it('threads inherit the flags that load modules, and no others', () => {
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
