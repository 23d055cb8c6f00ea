import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { StreamHandle, StreamMessage } from '#dist/src/pool/stream-handle.js';
import { type StreamSpec, WorkerPool, type WorkerPoolOptions } from '#dist/src/pool/worker-pool.js';

const ENTRY = new URL('../support/processes/scripted-worker.cjs', import.meta.url);

type Step = { readonly do: string; readonly [detail: string]: unknown };
const OPEN: Step = { do: 'post', message: { type: 'open', decoder: 'json' } };
const END: Step = { do: 'post', message: { type: 'end', resourceVersion: '1', continue: '' } };
const BATCH: Step = { do: 'batch' };
const HANG: Step = { do: 'until stopped' };

function spec(steps: readonly Step[], verb: 'list' | 'watch' = 'watch', credits = 4): StreamSpec {
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

/** The types of all messages of a stream, and the code of its error. */
async function typesOf(handle: StreamHandle): Promise<string[]> {
  const seen: string[] = [];
  try {
    for (let message = await handle.next(); message !== undefined; message = await handle.next()) {
      seen.push(typeOf(message));
    }
  } catch (error) {
    seen.push((error as { code: string }).code);
  }
  return seen;
}

const typeOf = (message: StreamMessage): string =>
  message.type === 'batch' ? `batch ${message.sequence}` : message.type;

describe('StreamHandle', () => {
  it("yields the worker's messages in order, and then undefined", async () => {
    const handle = poolOf().open(spec([OPEN, BATCH, BATCH, END]));
    expect(await typesOf(handle)).toEqual(['open', 'batch 0', 'batch 1', 'end']);
    expect(await handle.next()).toBeUndefined();
    expect(handle.receivedBytes).toBe(16);
  });

  it('never has more batches in flight than credits', async () => {
    let arrived = 0;
    const steps = [...Array.from({ length: 10 }, () => BATCH), END];
    const handle = poolOf().open(spec(steps, 'list', 3), { onArrival: () => void arrived++ });
    await handle.next();
    // Long enough for more to arrive: that none does cannot be polled for.
    await sleep(100);
    expect(arrived).toBe(3);
    await handle.next();
    // As above.
    await sleep(100);
    expect(arrived).toBe(4);
    expect((await typesOf(handle)).at(-1)).toBe('end');
  });

  it('drops and counts late and repeated batches', async () => {
    const pool = poolOf({ workers: 1 });
    const steps = [BATCH, { do: 'batch', sequence: 0 }, { do: 'batch', epoch: 0, sequence: 5 }, BATCH, END];
    expect(await typesOf(pool.open(spec(steps, 'watch', 2)))).toEqual(['batch 0', 'batch 1', 'end']);
    expect(pool.stats[0]?.droppedBatches).toBe(2);
  });

  it('fails with KUBEFLECT_WORKER_LOST if a batch is missing', async () => {
    const handle = poolOf().open(spec([BATCH, { do: 'batch', sequence: 2 }, HANG]));
    expect(await typesOf(handle)).toEqual(['batch 0', 'KUBEFLECT_WORKER_LOST']);
  });

  it('resolves a pending next with undefined when it is stopped', async () => {
    const pool = poolOf();
    const handle = pool.open(spec([OPEN, BATCH, HANG]));
    expect(await handle.next()).toEqual({ type: 'open', decoder: 'json' });
    expect(await handle.next()).toMatchObject({ type: 'batch' });
    const pending = handle.next();
    handle.stop();
    expect(await pending).toBeUndefined();
    expect(await handle.next()).toBeUndefined();
    expect(pool.stats.map(({ streams }) => streams)).toEqual([0, 0]);
  });

  it('rebuilds the error that the worker reported', async () => {
    const fail = (error: object): Step => ({ do: 'post', message: { type: 'failed', error } });
    const pool = poolOf({ workers: 1 });
    const expired = { code: 410, reason: 'Expired', message: 'too old' };
    const failures = [
      fail({ type: 'status', status: expired, retryAfterMs: 5 }),
      fail({ type: 'transport', errno: 'ECONNREFUSED', message: 'connection refused' }),
      fail({ type: 'protocol', message: 'cut' }),
      fail({ type: 'hooks', message: 'no such module', stack: 'at hooks.mjs:1' }),
    ];
    const errors = await Promise.all(
      failures.map((step) =>
        pool
          .open(spec([step]))
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
    ['returns without an end message', { do: 'wait', ms: 1 }, 0],
    ['closes its port', { do: 'close port' }, 0],
    ['throws outside of its task', { do: 'throw later' }, 1],
    ['exits', { do: 'exit' }, 1],
  ])(
    'yields what has arrived and then fails with KUBEFLECT_WORKER_LOST if its worker %s',
    async (_, step, threadsLost) => {
      const pool = poolOf({ workers: 1 });
      expect(await typesOf(pool.open(spec([OPEN, BATCH, step])))).toEqual([
        'open',
        'batch 0',
        'KUBEFLECT_WORKER_LOST',
      ]);
      expect(await typesOf(pool.open(spec([OPEN, END])))).toEqual(['open', 'end']);
      expect(pool.stats[0]?.restarts).toBe(threadsLost);
      expect(lost).toHaveLength(threadsLost);
    },
  );
});

describe('WorkerPool', () => {
  it('distributes streams evenly over its threads, and lists to different threads', async () => {
    const pool = poolOf({ workers: 3 });
    const watches = Array.from({ length: 9 }, () => pool.open(spec([HANG])));
    expect(pool.stats.map(({ streams }) => streams)).toEqual([3, 3, 3]);
    watches[0]?.stop();
    watches[3]?.stop();
    const lists = Array.from({ length: 3 }, () => pool.open(spec([HANG], 'list')));
    expect(new Set(lists.map(({ worker }) => worker)).size).toBe(3);
    expect(pool.open(spec([HANG])).worker).toBe(watches[0]?.worker);
  });

  it('fails the streams of a thread that ends, keeps the others, and replaces the thread', async () => {
    const pool = poolOf();
    await pool.start();
    const a = pool.open(spec([OPEN, HANG]));
    const b = pool.open(spec([OPEN, { do: 'wait', ms: 200 }, END]));
    await a.next();
    await pool.threads[a.worker]?.terminate();
    expect(await typesOf(a)).toEqual(['KUBEFLECT_WORKER_LOST']);
    expect(await typesOf(b)).toEqual(['open', 'end']);
    const again = pool.open(spec([OPEN, END]));
    expect(again.worker).toBe(a.worker);
    expect(await typesOf(again)).toEqual(['open', 'end']);
    expect(lost).toEqual(['KUBEFLECT_WORKER_LOST']);
  });

  it('runs the streams of the only thread on the next one, which starts with backoff', async () => {
    const pool = poolOf({ workers: 1, restartBackoff: { initialMs: 60 } });
    const startedAt = performance.now();
    for (let i = 0; i < 4; i++)
      expect(await typesOf(pool.open(spec([{ do: 'exit' }])))).toEqual(['KUBEFLECT_WORKER_LOST']);
    // Immediately, then after 60 and 120 ms.
    expect(performance.now() - startedAt).toBeGreaterThan(180);
    expect(pool.stats[0]?.restarts).toBe(4);
  });

  it('ends a thread whose event loop is blocked', async () => {
    const pool = poolOf({ workers: 1, heartbeatTimeoutMs: 400 });
    const spinning = pool.open(spec([OPEN, { do: 'spin' }]));
    const beside = pool.open(spec([OPEN, HANG]));
    expect(await typesOf(spinning)).toEqual(['open', 'KUBEFLECT_WORKER_LOST']);
    expect((await typesOf(beside)).at(-1)).toBe('KUBEFLECT_WORKER_LOST');
    expect(await typesOf(pool.open(spec([OPEN, END])))).toEqual(['open', 'end']);
    expect(pool.stats[0]?.lastError?.message).toContain('was blocked for');
  });

  it('replaces a thread that runs out of memory', async () => {
    const pool = poolOf({ workers: 1, workerHeapMb: 16 });
    expect(await typesOf(pool.open(spec([OPEN, { do: 'fill the heap' }])))).toEqual([
      'open',
      'KUBEFLECT_WORKER_LOST',
    ]);
    expect(await typesOf(pool.open(spec([OPEN, END])))).toEqual(['open', 'end']);
  });

  it('reports once that its threads cannot start, and retries with backoff', async () => {
    const entry = new URL('../support/no-such-worker.mjs', import.meta.url);
    const pool = poolOf({ workers: 1, entry, restartBackoff: { initialMs: 200 } });
    await expect(pool.start()).rejects.toMatchObject({
      code: 'KUBEFLECT_WORKER_START_FAILED',
      message: expect.stringContaining('no-such-worker.mjs'),
    });
    for (let i = 0; i < 100; i++) {
      expect(await typesOf(pool.open(spec([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    }
    expect(lost).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    await expect
      .poll(async () => {
        expect(await typesOf(pool.open(spec([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
        return lost.length;
      })
      .toBe(2);
  });

  it('reports a thread that cannot be created, and creates it when that becomes possible', async () => {
    const pool = poolOf({ workers: 1, restartBackoff: { initialMs: 50 } });
    const { execArgv } = process;
    process.execArgv = ['--import', '--not-an-argument'];
    try {
      await expect(pool.start()).rejects.toMatchObject({ code: 'KUBEFLECT_WORKER_START_FAILED' });
      expect(await typesOf(pool.open(spec([END])))).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
      expect(lost).toEqual(['KUBEFLECT_WORKER_START_FAILED']);
    } finally {
      process.execArgv = execArgv;
    }
    await expect.poll(() => pool.stats[0]?.state).toBe('idle');
    expect(await typesOf(pool.open(spec([OPEN, END])))).toEqual(['open', 'end']);
  });

  it.each([0, 2])(
    'with %i threads, ends its streams when it is closed, and opens no more',
    async (workers) => {
      const pool = poolOf({ workers });
      const handle = pool.open(spec([OPEN, HANG]));
      const waiting = typesOf(handle);
      await Promise.all([pool.close(), pool.close()]);
      expect((await waiting).at(-1)).toBe('KUBEFLECT_ENGINE_CLOSED');
      expect(await typesOf(pool.open(spec([END])))).toEqual(['KUBEFLECT_ENGINE_CLOSED']);
      expect(new Set(pool.stats.map(({ state }) => state))).toEqual(new Set(['closed']));
    },
  );
});
