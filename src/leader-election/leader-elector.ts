import { RepeatedFailures } from '../kube/repeated-failures.js';
import type { LeaseVerb } from '../lease/election-types.js';
import type { Leadership, LeadershipTerm } from '../lease/leadership.js';
import { errorFromWire } from '../pool/error-from-wire.js';
import { onAbort } from '../util/abort.js';
import { settlesWithin, systemClock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import { electorMetrics } from './elector-metrics.js';
import {
  type LeaderElectorOptions,
  type ResolvedElectorOptions,
  resolveElectorOptions,
} from './elector-options.js';
import type { HeldLease } from './held-lease.js';
import { leaseError, releaseFailed, workTimeout } from './lease-errors.js';
import type { Term, TermEnd } from './term.js';

export interface ElectorStopOptions {
  /** So long is waited for work of the term that has not ended. @default 10_000 */
  readonly timeoutMs?: number;
}

/**
 * client-go's leader election: candidates compete for one Lease, whose holder is the leader. Go programs can
 * be among the candidates.
 *
 * Starts nothing before `start`. A term that is lost is not the end: the elector goes on competing until `stop`.
 */
export class LeaderElector implements Leadership {
  /** Of the Lease: `namespace/name`. */
  readonly name: string;
  readonly identity: string;
  readonly #options: ResolvedElectorOptions;
  readonly #errors: ErrorReporter;
  readonly #failures = new RepeatedFailures(systemClock);
  readonly #metrics: ReturnType<typeof electorMetrics>;
  readonly #waiting = new Set<(term: Term | undefined) => void>();
  #held: HeldLease | undefined;
  /** The term whose beginning was announced. */
  #announced: Term | undefined;
  #leader = '';
  #work = 0;
  #onIdle: () => void = () => {};
  #isStopped = false;
  #stopping: Promise<void> | undefined;

  /** Throws `KUBEFLECT_OPTION_INVALID`. */
  constructor(options: LeaderElectorOptions) {
    this.#options = resolveElectorOptions(options);
    const { namespace, name, identity, onError, engine, metrics = engine.metrics } = this.#options;
    this.name = `${namespace}/${name}`;
    this.identity = identity;
    this.#metrics = electorMetrics(metrics, name, {
      isLeader: () => this.isLeader,
      counted: (counter) => this.#held?.counted(counter) ?? 0,
    });
    this.#errors = new ErrorReporter({
      informerName: `leader election ${this.name}`,
      clock: systemClock,
      onError,
      onCount: () => {},
    });
  }

  /** Begins to compete. Idempotent; does nothing after `stop`. Throws `KUBEFLECT_ENGINE_CLOSED`. */
  start(): void {
    if (this.#held !== undefined || this.isStopped) return;
    const { engine, ...options } = this.#options;
    const { namespace, name, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, labels } = options;
    const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    this.#held = engine.leases.hold(
      { namespace, name, identity, ...times, ...(labels && { labels }) },
      {
        onTerm: (term) => this.#onTerm(term),
        onTermEnd: (term, reason) => this.#onTermEnd(term, reason),
        onHolder: (holder) => this.#onHolder(holder),
        onFailed: (verb, error) => this.#onFailed(verb, errorFromWire(error)),
        onAccepted: () => this.#failures.recovered(),
        onEnded: () => this.#wake(undefined),
        onWork: () => this.#begin(),
      },
    );
  }

  /** Looks at the clocks: false as soon as the term is over, even if no timer could run since. */
  get isLeader(): boolean {
    return this.term !== undefined;
  }

  get term(): LeadershipTerm | undefined {
    return this.#held?.term;
  }

  /** The identity of the holder that was seen last; empty if the Lease had none. */
  get leader(): string {
    return this.#leader;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  nextTerm(signal?: AbortSignal): Promise<LeadershipTerm | undefined> {
    const { term } = this;
    if (term !== undefined) return Promise.resolve(term);
    if (this.isStopped || this.#held?.isEnded === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (next: Term | undefined): void => {
        release();
        this.#waiting.delete(settle);
        resolve(next);
      };
      let release = (): void => {};
      this.#waiting.add(settle);
      if (signal !== undefined) release = onAbort(signal, () => settle(undefined));
    });
  }

  /** Every term, the current one included, until the elector is stopped. */
  async *terms(): AsyncGenerator<LeadershipTerm, void, undefined> {
    for (let last: LeadershipTerm | undefined; ; ) {
      const term = await this.nextTerm();
      if (term === undefined) return;
      if (term !== last) yield term;
      last = term;
      await new Promise<void>((resolve) => onAbort(term.signal, resolve));
    }
  }

  /**
   * Ends the term, waits until its work has ended, and then gives the Lease back, which is renewed until then. Work
   * that has not ended in time keeps the Lease from being given back: it expires instead. Idempotent.
   */
  stop(options: ElectorStopOptions = {}): Promise<void> {
    // Before the term ends: `onStoppedLeading` may ask.
    this.#isStopped = true;
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop({ timeoutMs = 10_000 }: ElectorStopOptions): Promise<void> {
    const held = this.#held;
    held?.endTerm();
    this.#wake(undefined);
    const isIdle = await this.#idle(timeoutMs);
    if (!isIdle) this.#errors.report(workTimeout(this.name, timeoutMs));
    if (held === undefined || held.isEnded) return;
    if (!isIdle || !this.#options.releaseOnStop) held.abandon();
    else if ((await held.release()) === 'release-failed') this.#errors.report(releaseFailed(this.name));
  }

  /** False if there is still work after `timeoutMs`. */
  async #idle(timeoutMs: number): Promise<boolean> {
    if (this.#work === 0) return true;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await settlesWithin(systemClock, timeoutMs, idle);
    return this.#work === 0;
  }

  #begin(): () => void {
    this.#work++;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#work--;
      if (this.#work === 0) this.#onIdle();
    };
  }

  #onTerm(term: Term): void {
    this.#announced = term;
    const { name, identity } = this;
    publish('kubeflect:leader-election:started', () => ({ name, identity, term: term.number }));
    this.#metrics.started();
    this.#wake(term);
    this.#call(() => this.#options.onStartedLeading?.(term));
  }

  #onTermEnd(term: Term, reason: TermEnd): void {
    if (this.#announced !== term) return;
    this.#announced = undefined;
    const { name, identity } = this;
    publish('kubeflect:leader-election:stopped', () => ({ name, identity, term: term.number, reason }));
    this.#call(() => this.#options.onStoppedLeading?.(term));
    if (reason !== 'stopped') this.#errors.report(term.signal.reason as KubeflectError);
  }

  #onHolder(holder: string): void {
    this.#leader = holder;
    publish('kubeflect:leader-election:leader', () => ({ name: this.name, leader: holder }));
    this.#call(() => this.#options.onNewLeader?.(holder));
  }

  #onFailed(verb: LeaseVerb, cause: KubeflectError): void {
    const error = leaseError(this.name, verb, cause);
    if (this.#failures.isRepeated(cause)) this.#errors.count(error);
    else this.#errors.report(error);
  }

  #wake(term: Term | undefined): void {
    for (const settle of [...this.#waiting]) settle(term);
  }

  /** A callback that throws must not end the election. */
  #call(callback: () => unknown): void {
    const onThrown = (cause: unknown): void =>
      this.#errors.report(
        new KubeflectError('KUBEFLECT_HANDLER_FAILED', `a callback of the elector of ${this.name} failed`, {
          cause,
        }),
      );
    try {
      const result = callback();
      if (result instanceof Promise) result.catch(onThrown);
    } catch (cause) {
      onThrown(cause);
    }
  }
}
