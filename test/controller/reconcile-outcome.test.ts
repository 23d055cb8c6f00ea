import { type Controller, type HandlerError, Metrics, type ReconcileContext, runController } from 'kubeflect';
import { TerminalError } from 'kubeflect/controller';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '#dist/src/controller/controller-options.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import type { Pod } from '../support/objects/entries.js';
import { entry } from '../support/objects/entries.js';

type Outcome = ReturnType<ControllerOptions['reconcile']>;

/** A controller in virtual time that reconciles `default/a`, and what became of it. */
async function reconciling(
  reconcile: (key: string, context: ReconcileContext, priority: string) => Outcome,
  options: Partial<ControllerOptions<Pod>> = {},
) {
  const h = new InformerHarness();
  const errors: HandlerError[] = [];
  const metrics = new Metrics();
  /** When each reconcile began. */
  const calls: number[] = [];
  const controller: Controller = runController({
    informer: h.informer,
    clock: h.clock,
    metrics,
    name: 'copies',
    onError: (error) => void errors.push(error as HandlerError),
    reconcile: (key, context) => {
      calls.push(h.clock.read());
      return reconcile(key, context, `${controller.queue.priorityOf(key)}`);
    },
    ...options,
  });
  await h.start([[entry('a', 1)], '1']);
  const counted = (result: string): number => {
    const line = metrics.text().match(new RegExp(`^kubeflect_reconciles_total.*"${result}"} (\\d+)$`, 'm'));
    return Number(line?.[1] ?? 0);
  };
  return { ...h, h, controller, errors, metrics, calls, counted, clock: h.clock };
}

describe('a TerminalError', () => {
  it.each([
    ['thrown', () => new TerminalError('the image has no name')],
    ['as a cause', () => new Error('cannot go on', { cause: new TerminalError('the image has no name') })],
  ])('%s is reported and counted, and the key is not retried until something changes', async (_, failure) => {
    const thrown = failure();
    let isInvalid = true;
    const { h, clock, errors, metrics, calls, controller, counted } = await reconciling(() => {
      if (isInvalid) throw thrown;
    });
    await clock.advance(10_000_000);
    expect(calls).toEqual([0]);
    expect(errors.map(({ code, key, handlerName, cause }) => [code, key, handlerName, cause])).toEqual([
      ['KUBEFLECT_RECONCILE_TERMINAL', 'default/a', 'copies', thrown],
    ]);
    expect(counted('error')).toBe(1);
    expect(metrics.text()).toContain(
      'controller_runtime_terminal_reconcile_errors_total{controller="copies"} 1',
    );
    isInvalid = false;
    h.store.update(entry('a', 2));
    await clock.flush();
    expect(calls.length).toBe(2);
    expect(counted('success')).toBe(1);
    await controller.stop();
  });

  it('forgets the failures before it', async () => {
    const retries: number[] = [];
    const { h, clock, controller } = await reconciling((_key, context) => {
      retries.push(context.retries);
      if (retries.length === 2) throw new TerminalError('invalid');
      if (retries.length === 1) throw new Error('not yet');
    });
    await clock.advance(10_000);
    h.store.update(entry('a', 2));
    await clock.flush();
    expect(retries).toEqual([0, 1, 0]);
    await controller.stop();
  });
});

describe('reconcileTimeoutMs', () => {
  it('aborts the signal, reports and counts at once, and retries when the reconcile has ended', async () => {
    const { clock, errors, metrics, calls, controller, counted } = await reconciling(
      (_key, { signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { reconcileTimeoutMs: 1000 },
    );
    await clock.advance(999);
    expect(errors).toEqual([]);
    await clock.advance(1);
    expect(errors.map(({ code, key }) => [code, key])).toEqual([
      ['KUBEFLECT_RECONCILE_TIMEOUT', 'default/a'],
    ]);
    expect(metrics.text()).toContain('controller_runtime_reconcile_timeouts_total{controller="copies"} 1');
    expect(counted('error')).toBe(1);
    await clock.advance(5);
    expect(calls).toEqual([0, 1005]);
    await controller.stop();
  });

  it('never runs a key twice at a time, although its reconcile ignores the signal', async () => {
    let end = (): void => {};
    const { h, clock, calls, metrics, controller, counted } = await reconciling(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
      { reconcileTimeoutMs: 1000, concurrency: 4 },
    );
    await clock.advance(100_000);
    h.store.update(entry('a', 2));
    await clock.flush();
    expect(calls).toEqual([0]);
    expect(metrics.text()).toContain('controller_runtime_reconcile_timeouts_total{controller="copies"} 1');
    expect(counted('error')).toBe(0);
    end();
    await clock.flush();
    expect(calls).toEqual([0, 100_000]);
    expect(counted('error')).toBe(1);
    end();
    await clock.flush();
    await controller.stop();
  });

  it('retries a reconcile that returned because of its signal', async () => {
    const { clock, calls, controller, counted } = await reconciling(
      (_key, { signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      { reconcileTimeoutMs: 10 },
    );
    await clock.advance(10);
    expect(counted('success')).toBe(0);
    await clock.advance(5);
    expect(calls).toEqual([0, 15]);
    await controller.stop();
  });

  it('leaves a reconcile alone that ends in time, also its signal afterwards', async () => {
    let kept: AbortSignal | undefined;
    const { clock, errors, controller, counted } = await reconciling(
      async (_key, { signal }) => {
        kept = signal;
      },
      { reconcileTimeoutMs: 10 },
    );
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    await controller.stop();
    expect(kept?.aborted).toBe(false);
    expect(errors).toEqual([]);
    expect(counted('success')).toBe(1);
  });

  it('does not delay a stop, which aborts the signal, too', async () => {
    const { controller, errors } = await reconciling(
      (_key, { signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { reconcileTimeoutMs: 1_000_000 },
    );
    await controller.stop();
    expect(errors).toEqual([]);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])('rejects %s', (reconcileTimeoutMs) => {
    const { informer } = new InformerHarness();
    expect(() => runController({ informer, reconcile: () => {}, reconcileTimeoutMs })).toThrow(
      /reconcileTimeoutMs must be milliseconds/,
    );
  });
});

describe('the result of a reconcile', () => {
  it('with a jitter returns the key later by a random share of requeueAfterMs', async () => {
    const randoms = [0, 0.5, 0.99];
    const { clock, calls, controller } = await reconciling(() => ({ requeueAfterMs: 1000, jitter: 0.2 }), {
      random: () => randoms.shift() ?? 0,
    });
    await clock.advance(4000);
    expect(calls.map((at) => Math.round(at))).toEqual([0, 1000, 2100, 3298]);
    await controller.stop();
  });

  it.each([
    [{ requeueAfterMs: -1 }, /requeueAfterMs must be milliseconds/],
    [{ requeueAfterMs: Number.NaN }, /requeueAfterMs must be milliseconds/],
    [{ requeueAfterMs: 1, jitter: -0.1 }, /jitter must be a number/],
    [{ requeueAfterMs: 1, priority: 'urgent' as 'high' }, /priority must be one of high, normal, low/],
  ])('is reported as a failure if it is invalid: %j', async (result, message) => {
    const { errors, controller, counted } = await reconciling(() => result);
    expect(errors.map(({ code }) => code)).toEqual(['KUBEFLECT_RECONCILE_FAILED']);
    expect(`${errors[0]?.cause}`).toMatch(message);
    expect(counted('error')).toBe(1);
    await controller.stop();
  });
});

describe('the priority of a key', () => {
  it('is kept by retries and requeues, so existing objects stay behind changes', async () => {
    const seen: string[] = [];
    const { h, clock, controller } = await reconciling((_key, _context, priority) => {
      seen.push(priority);
      if (seen.length === 1) throw new Error('not yet');
      return seen.length === 2 ? { requeueAfterMs: 1000 } : undefined;
    });
    await clock.advance(2000);
    h.store.update(entry('a', 2));
    await clock.flush();
    expect(seen).toEqual(['low', 'low', 'low', 'normal']);
    await controller.stop();
  });

  it('of a requeue is that of the result', async () => {
    const seen: string[] = [];
    const { clock, controller } = await reconciling((_key, _context, priority) => {
      seen.push(priority);
      return seen.length === 1 ? { requeueAfterMs: 1000, priority: 'high' } : undefined;
    });
    await clock.advance(1000);
    expect(seen).toEqual(['low', 'high']);
    await controller.stop();
  });

  it('of a source is that of its changes, and low for its initial list', async () => {
    const h = new InformerHarness();
    const urgent = new InformerHarness();
    const background = new InformerHarness();
    const seen: string[] = [];
    const keys = ({ name }: { readonly name: string }): string[] => [name];
    const controller = runController({
      informer: h.informer,
      clock: h.clock,
      watches: [
        { informer: background.informer, keys, priority: 'low' },
        { informer: urgent.informer, keys, priority: 'high' },
      ],
      reconcile: (key) => void seen.push(`${key} ${controller.queue.priorityOf(key)}`),
    });
    await background.start([[], '1']);
    await urgent.start([[entry('listed', 1)], '1']);
    await h.start([[], '1']);
    background.store.add(entry('background', 2));
    await h.clock.flush();
    h.store.add(entry('change', 2));
    await h.clock.flush();
    urgent.store.add(entry('urgent', 2));
    await h.clock.flush();
    expect(seen).toEqual(['listed low', 'background low', 'default/change normal', 'urgent high']);
    await controller.stop();
  });
});
