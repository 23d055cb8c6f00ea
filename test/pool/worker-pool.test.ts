import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { StreamHandle, StreamMessage } from '#dist/src/pool/stream-handle.js';
import { type StreamOrder, WorkerPool, type WorkerPoolOptions } from '#dist/src/pool/worker-pool.js';

const ENTRY = new URL('../support/processes/scripted-worker.cjs', import.meta.url);

type Step = { readonly do: string; readonly [detail: string]: unknown };
const OPEN: Step = { do: 'post', message: { type: 'open', decoder: 'json' } };
const END: Step = { do: 'post', message: { type: 'end', resourceVersion: '1', continue: '' } };
const BATCH: Step = { do: 'batch' };
const HANG: Step = { do: 'until stopped' };

function order(steps: readonly Step[], verb: 'list' | 'watch' = 'watch', credits = 4): StreamOrder {
  return {
    verb,
    credits,
    path: encodeURIComponent(JSON.stringify(steps)),
    connection: { server: 'http://127.0.0.1:1', headers: {} },
    decoding: {
      decoder: 'json',
      apiVersion: 'v1',
      kind: 'Pod',
      form: 'object',
      drop: [],
      indexPaths: [],
      hookIndexes: [],
    },
    limits: {
      objectBytes: 1,
      depth: 1,
      batchBytes: 1,
      batchDelayMs: 1,
      connectMs: 1,
      listMs: 1,
      probeAfterMs: 100,
      probeMs: 100,
      watchStallMs: 1,
      gzipRatio: 1,
    },
  };
}

const pools: WorkerPool[] = [];
const lost: string[] = [];

function poolOf(options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  const pool = new WorkerPool({
    workers: 2,
    entry: ENTRY,
    restartBackoff: { initialMs: 20 },
    onWorkerLost: ({ code }) => lost.push(code),
    ...options,
  });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  lost.length = 0;
});

/** Everything a stream gives, as words; an error by its code. */
async function words(handle: StreamHandle): Promise<string[]> {
  const seen: string[] = [];
  try {
    for (let message = await handle.next(); message !== undefined; message = await handle.next()) {
      seen.push(word(message));
    }
  } catch (error) {
    seen.push((error as { code: string }).code);
  }
  return seen;
}

const word = (message: StreamMessage): string =>
  message.type === 'batch' ? `batch ${message.sequence}` : message.type;

describe('a stream', () => {
  it('gives what its worker sends, in order, and then nothing', async () => {
    const handle = poolOf().open(order([OPEN, BATCH, BATCH, END]));
    expect(await words(handle)).toEqual(['open', 'batch 0', 'batch 1', 'end']);
    expect(await handle.next()).toBeUndefined();
    expect(handle.receivedBytes).toBe(16);
  });

  it('has no more batches in flight than it has credits', async () => {
    let arrived = 0;
    const steps = [...Array.from({ length: 10 }, () => BATCH), END];
    const handle = poolOf().open(order(steps, 'list', 3), { onArrival: () => void arrived++ });
    await handle.next();
    // Long enough for more to arrive: that none does cannot be polled for.
    await sleep(100);
    expect(arrived).toBe(3);
    await handle.next();
    // As above.
    await sleep(100);
    expect(arrived).toBe(4);
    expect((await words(handle)).at(-1)).toBe('end');
  });

  it('drops batches that are late or come twice, and counts them', async () => {
    const pool = poolOf({ workers: 1 });
    const steps = [BATCH, { do: 'batch', sequence: 0 }, { do: 'batch', epoch: 0, sequence: 5 }, BATCH, END];
    expect(await words(pool.open(order(steps, 'watch', 2)))).toEqual(['batch 0', 'batch 1', 'end']);
    expect(pool.stats[0]?.droppedBatches).toBe(2);
  });

  it('is lost if a batch is missing', async () => {
    const handle = poolOf().open(order([BATCH, { do: 'batch', sequence: 2 }, HANG]));
    expect(await words(handle)).toEqual(['batch 0', 'KUBEFLECT_WORKER_LOST']);
  });

  it('ends silently when it is stopped, also while it is waited for', async () => {
    const pool = poolOf();
    const handle = pool.open(order([OPEN, BATCH, HANG]));
    expect(await handle.next()).toEqual({ type: 'open', decoder: 'json' });
    expect(await handle.next()).toMatchObject({ type: 'batch' });
    const pending = handle.next();
    handle.stop();
    expect(await pending).toBeUndefined();
    expect(await handle.next()).toBeUndefined();
    expect(pool.stats.map(({ streams }) => streams)).toEqual([0, 0]);
  });

  it('rebuilds what the worker could not do as the error it was', async () => {
    const fail = (error: object): Step => ({ do: 'post', message: { type: 'failed', error } });
    const pool = poolOf({ workers: 1 });
    const expired = { code: 410, reason: 'Expired', message: 'too old' };
    const failures = [
      fail({ type: 'status', status: expired, retryAfterMs: 5 }),
      fail({ type: 'transport', errno: 'ECONNREFUSED', message: 'nobody there' }),
      fail({ type: 'protocol', message: 'cut' }),
      fail({ type: 'hooks', message: 'no such module', stack: 'at hooks.mjs:1' }),
    ];
    const errors = await Promise.all(
      failures.map((step) =>
        pool
          .open(order([step]))
          .next()
          .catch((error: unknown) => error),
      ),
    );
    expect(errors).toMatchObject([
      { code: 'KUBEFLECT_API_STATUS', status: expired, retryAfterMs: 5, message: 'too old' },
      { code: 'KUBEFLECT_TRANSPORT', errno: 'ECONNREFUSED' },
      { code: 'KUBEFLECT_TRANSPORT', errno: 'EOF' },
      { code: 'KUBEFLECT_HOOKS_FAILED', cause: { stack: 'at hooks.mjs:1' } },
    ]);
  });

  it.each([
    ['throws', { do: 'throw' }, 0],
    ['returns without a word', { do: 'wait', ms: 1 }, 0],
    ['closes its port', { do: 'close port' }, 0],
    ['throws outside of its task', { do: 'throw later' }, 1],
    ['exits', { do: 'exit' }, 1],
  ])('is lost, after what had arrived, if its worker %s', async (_, step, threadsLost) => {
    const pool = poolOf({ workers: 1 });
    expect(await words(pool.open(order([OPEN, BATCH, step])))).toEqual([
      'open',
      'batch 0',
      'KUBEFLECT_WORKER_LOST',
    ]);
    expect(await words(pool.open(order([OPEN, END])))).toEqual(['open', 'end']);
    expect(pool.stats[0]?.restarts).toBe(threadsLost);
    expect(lost).toHaveLength(threadsLost);
  });
});

describe('a pool', () => {
  it('spreads streams evenly over its threads, and lists apart from each other', async () => {
    const pool = poolOf({ workers: 3 });
    const watches = Array.from({ length: 9 }, () => pool.open(order([HANG])));
    expect(pool.stats.map(({ streams }) => streams)).toEqual([3, 3, 3]);
    watches[0]?.stop();
    watches[3]?.stop();
    const lists = Array.from({ length: 3 }, () => pool.open(order([HANG], 'list')));
    expect(new Set(lists.map(({ worker }) => worker)).size).toBe(3);
    expect(pool.open(order([HANG])).worker).toBe(watches[0]?.worker);
  });

  it('fails the streams of a thread that ends, goes on with the others, and replaces it', async () => {
    const pool = poolOf();
    await pool.start();
    const a = pool.open(order([OPEN, HANG]));
    const b = pool.open(order([OPEN, { do: 'wait', ms: 200 }, END]));
    await a.next();
    await pool.threads[a.worker]?.terminate();
    expect(await words(a)).toEqual(['KUBEFLECT_WORKER_LOST']);
    expect(await words(b)).toEqual(['open', 'end']);
    const again = pool.open(order([OPEN, END]));
    expect(again.worker).toBe(a.worker);
    expect(await words(again)).toEqual(['open', 'end']);
    expect(lost).toEqual(['KUBEFLECT_WORKER_LOST']);
  });

  it('gives the streams of the only thread to the one that comes after it, slower each time', async () => {
    const pool = poolOf({ workers: 1, restartBackoff: { initialMs: 60 } });
    const startedAt = performance.now();
    for (let i = 0; i < 4; i++)
      expect(await words(pool.open(order([{ do: 'exit' }])))).toEqual(['KUBEFLECT_WORKER_LOST']);
    // At once, then after 60 and 120 ms.
    expect(performance.now() - startedAt).toBeGreaterThan(180);
    expect(pool.stats[0]?.restarts).toBe(4);
  });

  it('ends a thread that stands still', async () => {
    const pool = poolOf({ workers: 1, heartbeatTimeoutMs: 400 });
    const spinning = pool.open(order([OPEN, { do: 'spin' }]));
    const beside = pool.open(order([OPEN, HANG]));
    expect(await words(spinning)).toEqual(['open', 'KUBEFLECT_WORKER_LOST']);
    expect((await words(beside)).at(-1)).toBe('KUBEFLECT_WORKER_LOST');
    expect(await words(pool.open(order([OPEN, END])))).toEqual(['open', 'end']);
    expect(pool.stats[0]?.lastError?.message).toContain('stood still');
  });

  it('survives a thread that runs out of memory', async () => {
    const pool = poolOf({ workers: 1, workerHeapMb: 16 });
    expect(await words(pool.open(order([OPEN, { do: 'fill the heap' }])))).toEqual([
      'open',
      'KUBEFLECT_WORKER_LOST',
    ]);
    expect(await words(pool.open(order([OPEN, END])))).toEqual(['open', 'end']);
  });

  it('says once what is wrong if its threads cannot start, and does not try all the time', async () => {
    const entry = new URL('../support/no-such-worker.mjs', import.meta.url);
    const pool = poolOf({ workers: 1, entry, restartBackoff: { initialMs: 200 } });
    await expect(pool.start()).rejects.toMatchObject({
      code: 'KUBEFLECT_WORKER_START_FAILED',
      message: expect.stringContaining('no-such-worker.mjs'),
    });
    for (let i = 0; i < 100; i++) {
      expect(await words(pool.open(order([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    }
    expect(lost).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    await expect
      .poll(async () => {
        expect(await words(pool.open(order([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
        return lost.length;
      })
      .toBe(2);
  });

  it('says so too if a thread cannot even be made, and makes it when it can be', async () => {
    const pool = poolOf({ workers: 1, restartBackoff: { initialMs: 50 } });
    const { execArgv } = process;
    process.execArgv = ['--import', '--not-an-argument'];
    try {
      await expect(pool.start()).rejects.toMatchObject({ code: 'KUBEFLECT_WORKER_START_FAILED' });
      expect(await words(pool.open(order([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
      expect(lost).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    } finally {
      process.execArgv = execArgv;
    }
    await expect.poll(() => pool.stats[0]?.state).toBe('idle');
    expect(await words(pool.open(order([OPEN, END])))).toEqual(['open', 'end']);
  });

  it.each([0, 2])('of %i threads ends its streams when it is closed, and opens no more', async (workers) => {
    const pool = poolOf({ workers });
    const handle = pool.open(order([OPEN, HANG]));
    const waiting = words(handle);
    await Promise.all([pool.close(), pool.close()]);
    expect((await waiting).at(-1)).toBe('KUBEFLECT_ENGINE_CLOSED');
    expect(await words(pool.open(order([END])))).toEqual(['KUBEFLECT_ENGINE_CLOSED']);
    expect(new Set(pool.stats.map(({ state }) => state))).toEqual(new Set(['closed']));
  });
});
