import type {
  ElectionEffect,
  ElectionInput,
  ElectionOptions,
  Instant,
  LeaseResult,
  LeaseVerb,
} from '#dist/src/lease/election-types.js';
import type { Lease } from '#dist/src/lease/lease.js';
import type { SeededRandom } from '../../support/time/seeded-random.js';
import type { Trace } from '../trace.js';
import type { ElectorSubject } from './elector-subject.js';
import type { EventQueue } from './event-queue.js';

/** As in src/leader-election/lease-service.ts and workers/lease/lease-session.ts. */
const OWNER_TICK_MS = 200;
const MAX_SLEEP_MS = 500;

export interface SimElectorOptions extends ElectionOptions {
  readonly label: string;
  readonly subject: ElectorSubject;
  readonly queue: EventQueue;
  readonly random: SeededRandom;
  readonly trace: Trace;
  /** Of the monotonic and the wall clock, against the time of the simulation. */
  readonly rate: number;
  readonly wallOffsetMs: number;
  /** Sends a request; the response may never come. */
  readonly send: (verb: LeaseVerb, lease: Lease | undefined, respond: (result: LeaseResult) => void) => void;
}

/**
 * One process: the election as on the lease thread, and the main thread with its heartbeat. Either can be held up,
 * separately or together, and the clocks go on or do not.
 */
export class SimElector {
  readonly label: string;
  readonly #options: SimElectorOptions;
  readonly #election: InstanceType<ElectorSubject['Election']>;
  readonly #memory: InstanceType<ElectorSubject['TermMemory']>;
  #timer: { cancel(): void } | undefined;
  #monotonicMs: number;
  #lastMs: number;
  #wallOffsetMs: number;
  #ownerSeenMs = 0;
  /** The term that the main thread knows. */
  #knownTerm = 0;
  #term = 0;
  /** The last term that was over by the clocks. */
  #overTerm = 0;
  #isStopped = false;
  #isSuspended = false;
  #isBlocked = false;
  #isDead = false;
  /** What arrived while the process was stopped. */
  #late: (() => void)[] = [];
  #lateForMain: (() => void)[] = [];
  isReleasing = false;

  constructor(options: SimElectorOptions) {
    this.#options = options;
    this.label = options.label;
    this.#election = new options.subject.Election(options, options.random.next);
    this.#memory = new options.subject.TermMemory();
    this.#monotonicMs = options.random.between(0, 1_000_000);
    this.#lastMs = options.queue.nowMs;
    this.#wallOffsetMs = options.wallOffsetMs;
    this.#see();
    this.#step({ type: 'tick' });
  }

  /** By its own clocks, as the main thread would find if it looked now. */
  get isLeading(): boolean {
    if (this.#isDead || this.#term === 0) return false;
    const isCurrent = this.#memory.isCurrent(this.#term, this.#nowMs, this.#wallMs);
    if (!isCurrent) this.#overTerm = this.#term;
    return isCurrent;
  }

  /** A term that was over when `isLeading` was last read is current again. */
  get hasRevived(): boolean {
    return this.isLeading && this.#overTerm === this.#term;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isEnded(): boolean {
    return this.#election.isEnded;
  }

  /** Nothing holds it up. */
  get isWell(): boolean {
    return !(this.#isDead || this.#isStopped || this.#isSuspended || this.#isBlocked || this.isReleasing);
  }

  crash(): void {
    this.#isDead = true;
    this.#timer?.cancel();
  }

  /** SIGSTOP, and SIGCONT after a while. */
  stopFor(ms: number): void {
    this.#isStopped = true;
    this.#options.queue.after(ms, () => {
      this.#isStopped = false;
      this.#wake();
    });
  }

  /** The machine: the monotonic clock stands still, too. */
  suspendFor(ms: number): void {
    this.#touch();
    this.#isSuspended = true;
    this.#options.queue.after(ms, () => {
      this.#touch();
      this.#isSuspended = false;
      this.#wake();
    });
  }

  blockFor(ms: number): void {
    this.#isBlocked = true;
    this.#options.queue.after(ms, () => {
      this.#isBlocked = false;
      this.#wake();
    });
  }

  stepWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** What is still running after `stop` takes a while; the Lease is renewed until then. */
  releaseAfter(ms: number): void {
    this.isReleasing = true;
    this.#options.queue.after(ms, () =>
      this.#onMain(() => this.#onThread(() => this.#step({ type: 'release' }))),
    );
  }

  get #nowMs(): number {
    this.#touch();
    return this.#monotonicMs;
  }

  get #wallMs(): number {
    return 1_700_000_000_000 + this.#options.queue.nowMs + this.#wallOffsetMs;
  }

  #touch(): void {
    const { nowMs } = this.#options.queue;
    if (!this.#isSuspended) this.#monotonicMs += (nowMs - this.#lastMs) * this.#options.rate;
    this.#lastMs = nowMs;
  }

  get #isHeldUp(): boolean {
    return this.#isStopped || this.#isSuspended;
  }

  #onThread(run: () => void): void {
    if (this.#isDead) return;
    if (this.#isHeldUp) this.#late.push(run);
    else run();
  }

  #onMain(run: () => void): void {
    if (this.#isDead) return;
    if (this.#isHeldUp || this.#isBlocked) this.#lateForMain.push(run);
    else run();
  }

  /** Whatever was due goes on, in any order. */
  #wake(): void {
    if (this.#isHeldUp || this.#isDead) return;
    const isMainFirst = this.#options.random.chance(0.5);
    const main = this.#isBlocked ? [] : this.#lateForMain.splice(0);
    const thread = this.#late.splice(0);
    for (const run of isMainFirst ? [...main, ...thread] : [...thread, ...main]) run();
  }

  /** The main thread's tick: shows that it lives, and looks whether its term is over. */
  #see(): void {
    this.#ownerSeenMs = this.#nowMs;
    if (this.#knownTerm !== 0 && !this.#memory.isCurrent(this.#knownTerm, this.#nowMs, this.#wallMs)) {
      const term = this.#knownTerm;
      this.#knownTerm = 0;
      this.#onThread(() => this.#step({ type: 'yield', term }));
    }
    this.#options.queue.after(OWNER_TICK_MS / this.#options.rate, () => this.#onMain(() => this.#see()));
  }

  #step(input: ElectionInput): void {
    if (this.#election.isEnded) return;
    const instant: Instant = { nowMs: this.#nowMs, wallMs: this.#wallMs, ownerSeenMs: this.#ownerSeenMs };
    for (const effect of this.#election.step(input, instant)) this.#perform(effect);
    this.#timer?.cancel();
    if (this.#election.isEnded) return;
    const delayMs = Math.min(Math.max(0, this.#election.wakeAtMs - instant.nowMs), MAX_SLEEP_MS);
    this.#timer = this.#options.queue.after(delayMs / this.#options.rate + 0.01, () =>
      this.#onThread(() => this.#step({ type: 'tick' })),
    );
  }

  #perform(effect: ElectionEffect): void {
    const { trace, label } = this.#options;
    switch (effect.type) {
      case 'request': {
        const { id, verb, lease } = effect;
        if (verb === 'create') trace.count('path create');
        this.#options.send(verb, lease, (result) =>
          this.#onThread(() => this.#step({ type: 'response', id, result })),
        );
        return;
      }
      case 'leading':
        this.#term = effect.term;
        this.#memory.begin(effect.term, effect.deadlineMs, effect.wallDeadlineMs);
        trace.line(`${label} leads, term ${effect.term}, transitions ${effect.transitions}`);
        trace.count('path leading');
        this.#onMain(() => {
          this.#knownTerm = effect.term;
        });
        return;
      case 'renewed':
        this.#memory.prolong(effect.deadlineMs, effect.wallDeadlineMs);
        trace.count('path renewed');
        return;
      case 'lost':
        this.#memory.end(effect.reason);
        this.#term = 0;
        trace.line(`${label} lost term ${effect.term}: ${effect.reason}`);
        trace.count(`path lost ${effect.reason}`);
        return;
      case 'slow-path':
        trace.count('path slow-path');
        return;
      case 'ended':
        trace.line(`${label} ended: ${effect.reason}`);
        trace.count(`path ended ${effect.reason}`);
    }
  }
}
