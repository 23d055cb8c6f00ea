import type { Random } from '../util/clock.js';
import type { WireError } from '../wire/messages.js';
import type {
  ElectionEffect,
  ElectionEnd,
  ElectionInput,
  ElectionOptions,
  Instant,
  LeaseResult,
  LeaseVerb,
  LossReason,
  TermDeadline,
} from './election-types.js';
import type { Lease } from './lease.js';
import { ObservedLease } from './observed-lease.js';
import { OwnWrites } from './own-writes.js';

/** Between attempts to acquire: a share of the retry period, jittered, so that candidates do not come at once. */
const MIN_ACQUIRE_WAIT = 0.6;
const ACQUIRE_JITTER = 0.7;
/** After a lease that was seen to expire. */
const EXPIRY_JITTER = 0.1;
/** A request may take so much of the renew deadline: another one can follow it in time, on another connection. */
const REQUEST_SHARE = 0.5;
/** A candidate whose owner was not seen for so much of the renew deadline acquires nothing. */
const OWNER_FRESH_SHARE = 0.5;
/** The wait after a conflict while releasing, and for an owner that is silent, as a share of the retry period. */
const SHORT_WAIT = 0.25;

type Purpose = 'acquire' | 'renew' | 'release';

interface Pending {
  readonly id: number;
  readonly verb: LeaseVerb;
  readonly purpose: Purpose;
  readonly sentAt: Instant;
  readonly timeoutAtMs: number;
}

interface Term extends TermDeadline {
  readonly number: number;
  readonly transitions: number;
}

/**
 * One candidate of a leader election, as a state machine without I/O and timers: inputs and instants go in, effects
 * come out. It runs in the lease thread (workers/lease) and in the simulation (test/sim/electors).
 *
 *                    Lease is free, expired by our clock, or ours:
 *                    create or update was accepted
 *      standby ─────────────────────────────────────────────────▶ leading ──▶ every retry period: update;
 *         ▲  │ every jittered retry period: get                    │            if it fails: get, update
 *         │  ▼                                                     │
 *         └────────── deadline, owner silent, taken, deleted ◀─────┘
 *
 *      release, in either state ──▶ releasing: update with no holder, retried ──▶ ended
 *
 * A term ends at the *send time* of its last accepted write + renew deadline, by the monotonic clock or the wall clock,
 * whichever is earlier. Others wait for the lease duration from when they *saw* that write. So terms of two candidates
 * never overlap while clocks run at similar rates: no time of the record is ever compared with a clock. Every write
 * is conditional on the version that it replaces, so a late one changes nothing that matters.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #random: Random;
  readonly #observed: ObservedLease;
  readonly #writes: OwnWrites;
  #annotations: Readonly<Record<string, string>>;
  #term: Term | undefined;
  #terms: number;
  #requests = 0;
  #pending: Pending | undefined;
  /** A renewal or release that failed once reads the Lease before it writes again. */
  #mustRead = true;
  /** The attempt, which may be several requests, has already read the Lease. */
  #hasRead = false;
  #nextAttemptMs = Number.NEGATIVE_INFINITY;
  #releaseBeforeMs: number | undefined;
  /** A write that would make us the holder was accepted … */
  #wasHeld = false;
  /** … or sent. */
  #hasWritten = false;
  #writtenAnnotations: Readonly<Record<string, string>> | undefined;
  #end: ElectionEnd | undefined;
  #at: Instant = { nowMs: 0, wallMs: 0, ownerSeenMs: 0 };
  #effects: ElectionEffect[] = [];

  /** @param terms how many terms there were before, of which later ones have higher numbers */
  constructor(options: ElectionOptions, random: Random, terms = 0) {
    this.#options = options;
    this.#random = random;
    this.#terms = terms;
    this.#annotations = options.annotations ?? {};
    this.#observed = new ObservedLease(options.leaseDurationMs);
    this.#writes = new OwnWrites(options, random);
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** When the next `tick` is due; earlier and later ones do no harm to safety. */
  get wakeAtMs(): number {
    const attemptMs = this.#pending?.timeoutAtMs ?? this.#nextAttemptMs;
    if (this.#term === undefined) return attemptMs;
    const ownerMs = this.#at.ownerSeenMs + this.#options.renewDeadlineMs;
    return Math.min(attemptMs, this.#term.deadlineMs, ownerMs);
  }

  step(input: ElectionInput, at: Instant): ElectionEffect[] {
    if (this.isEnded) return [];
    this.#at = at;
    this.#effects = [];
    this.#checkTerm();
    this.#take(input);
    this.#checkTimeout();
    if (!this.isEnded && this.#pending === undefined && at.nowMs >= this.#nextAttemptMs) this.#attempt();
    return this.#effects;
  }

  #take(input: ElectionInput): void {
    switch (input.type) {
      case 'tick':
        return;
      case 'response':
        if (input.id === this.#pending?.id) this.#receive(this.#pending, input.result);
        return;
      case 'retry':
        this.#nextAttemptMs = this.#at.nowMs;
        return;
      case 'yield':
        if (this.#term?.number === input.term) this.#lose('yielded');
        return;
      case 'annotate':
        this.#annotations = input.annotations;
        if (this.#term !== undefined) this.#nextAttemptMs = this.#at.nowMs;
        return;
      case 'release':
        this.#release();
        return;
      case 'abandon':
        this.#endWith('abandoned');
    }
  }

  /** Before anything else: what arrives after the end of a term does not prolong it. */
  #checkTerm(): void {
    if (this.#term === undefined) return;
    const { nowMs, wallMs, ownerSeenMs } = this.#at;
    if (nowMs >= this.#term.deadlineMs) this.#lose('deadline');
    else if (wallMs >= this.#term.wallDeadlineMs) this.#lose('suspended');
    else if (nowMs - ownerSeenMs >= this.#options.renewDeadlineMs) this.#lose('owner-silent');
  }

  #checkTimeout(): void {
    const pending = this.#pending;
    if (pending === undefined || this.#at.nowMs < pending.timeoutAtMs) return;
    this.#effects.push({ type: 'abort', id: pending.id });
    const ms = Math.round(pending.timeoutAtMs - pending.sentAt.nowMs);
    const message = `no response within ${ms} ms`;
    this.#receive(pending, { type: 'failed', error: { type: 'transport', errno: 'ETIMEDOUT', message } });
  }

  #attempt(): void {
    this.#hasRead = false;
    if (this.#isReleasing) this.#write('release');
    else if (this.#term !== undefined) this.#write('renew');
    else if (this.#isOwnerSilent) this.#waitMs(this.#options.retryPeriodMs * SHORT_WAIT);
    else this.#send('get', 'acquire');
  }

  /** Updates the Lease as it was last seen; reads it first if it may have changed since. */
  #write(purpose: 'renew' | 'release'): void {
    const { lease } = this.#observed;
    if (lease === undefined || this.#mustRead) this.#send('get', purpose);
    // Nothing to release: the Lease was last seen with another holder.
    else if (!this.#writes.isOwn(lease)) this.#endWith('released');
    else this.#send('update', purpose, lease);
  }

  #send(verb: LeaseVerb, purpose: Purpose, base?: Lease): void {
    const { nowMs } = this.#at;
    const { renewDeadlineMs } = this.#options;
    const id = ++this.#requests;
    const limits = [nowMs + renewDeadlineMs * REQUEST_SHARE];
    if (purpose === 'renew' && this.#term !== undefined) limits.push(this.#term.deadlineMs);
    if (this.#releaseBeforeMs !== undefined) limits.push(this.#releaseBeforeMs);
    this.#pending = { id, verb, purpose, sentAt: this.#at, timeoutAtMs: Math.min(...limits) };
    this.#effects.push({ type: 'request', id, verb, lease: this.#written(verb, purpose, base) });
  }

  #written(verb: LeaseVerb, purpose: Purpose, base: Lease | undefined): Lease | undefined {
    if (verb === 'get') {
      this.#hasRead = true;
      return undefined;
    }
    const { wallMs } = this.#at;
    if (purpose === 'release' && base !== undefined) return this.#writes.released(base, wallMs);
    this.#hasWritten = true;
    this.#writtenAnnotations = this.#annotations;
    return this.#writes.held(base, wallMs, this.#annotations);
  }

  #receive(pending: Pending, result: LeaseResult): void {
    this.#pending = undefined;
    if (result.type === 'ok') this.#accept(pending, result.lease);
    else this.#fail(pending, result.error);
  }

  #accept({ verb, purpose, sentAt }: Pending, lease: Lease): void {
    this.#mustRead = false;
    const before = this.#observed.holder;
    this.#observed.see(lease, this.#at.nowMs);
    const { holder, transitions } = this.#observed;
    if (before !== holder) this.#effects.push({ type: 'observed', holder, transitions });
    if (verb === 'get') {
      this.#decide(purpose, lease);
      return;
    }
    const wasReplaced = this.#writes.wasReplaced(lease);
    this.#writes.accepted(lease);
    // An update of a Lease that is gone may create another one.
    if (wasReplaced && purpose === 'renew') this.#lose('deleted');
    else if (purpose === 'release') this.#endWith('released');
    else if (purpose === 'renew') this.#renewed(sentAt);
    else this.#acquired(sentAt);
  }

  /** The Lease was read. */
  #decide(purpose: Purpose, lease: Lease): void {
    const isOwn = this.#writes.isOwn(lease);
    if (isOwn) this.#wasHeld = true;
    if (purpose === 'release') {
      if (isOwn) this.#send('update', 'release', lease);
      else this.#endWith('released');
    } else if (this.#isReleasing) {
      this.#nextAttemptMs = this.#at.nowMs;
    } else if (purpose === 'renew') {
      if (isOwn && this.#term?.transitions === this.#observed.transitions)
        this.#send('update', 'renew', lease);
      else this.#lose(this.#writes.wasReplaced(lease) ? 'deleted' : 'taken');
    } else this.#acquire(lease, isOwn);
  }

  #acquire(lease: Lease, isOwn: boolean): void {
    const { isMembership = false } = this.#options;
    if (isMembership && !isOwn) {
      this.#endWith('fenced');
      return;
    }
    const expiresAtMs = this.#observed.expiresAtMs;
    const canResume = isOwn && this.#at.nowMs >= this.#observed.creatableAtMs;
    const isFree = canResume || this.#observed.holder === '' || this.#at.nowMs >= expiresAtMs;
    if (isFree) {
      this.#send('update', 'acquire', lease);
      return;
    }
    this.#waitUntil(expiresAtMs);
  }

  /** A write was accepted that makes this candidate the holder. */
  #acquired(sentAt: Instant): void {
    this.#wasHeld = true;
    const deadlines = this.#deadlinesFrom(sentAt);
    const { nowMs, wallMs } = this.#at;
    this.#nextAttemptMs = sentAt.nowMs + this.#options.retryPeriodMs;
    if (this.#isReleasing) {
      this.#nextAttemptMs = nowMs;
      return;
    }
    // It took too long: the Lease is ours, but not for long enough.
    if (nowMs >= deadlines.deadlineMs || wallMs >= deadlines.wallDeadlineMs) return;
    const { transitions } = this.#observed;
    this.#term = { number: ++this.#terms, transitions, ...deadlines };
    this.#effects.push({ type: 'leading', term: this.#term.number, transitions, ...deadlines });
  }

  #renewed(sentAt: Instant): void {
    if (this.#term === undefined) return;
    const isCurrent = this.#writtenAnnotations === this.#annotations;
    this.#nextAttemptMs = isCurrent ? sentAt.nowMs + this.#options.retryPeriodMs : this.#at.nowMs;
    const deadlines = this.#deadlinesFrom(sentAt);
    this.#term = { ...this.#term, ...deadlines };
    this.#effects.push({ type: 'renewed', ...deadlines });
  }

  #deadlinesFrom({ nowMs, wallMs }: Instant): TermDeadline {
    const { renewDeadlineMs } = this.#options;
    return { deadlineMs: nowMs + renewDeadlineMs, wallDeadlineMs: wallMs + renewDeadlineMs };
  }

  #fail({ verb, purpose, sentAt }: Pending, error: WireError): void {
    const code = error.type === 'status' ? error.status.code : undefined;
    const isConflict = code === 409;
    this.#mustRead = true;
    if (verb !== 'create' && code === 404) {
      this.#missing(purpose);
      return;
    }
    if (!isConflict) this.#effects.push({ type: 'failed', verb, error });
    if (purpose === 'release' && this.#isReleaseLate) {
      this.#endWith('release-failed');
    } else if (verb !== 'get' && purpose !== 'acquire' && !this.#hasRead) {
      if (purpose === 'renew') this.#effects.push({ type: 'slow-path' });
      this.#send('get', purpose);
    } else if (purpose === 'acquire') this.#waitMs(this.#isReleasing ? 0 : this.#acquireWaitMs());
    else if (purpose === 'release') this.#waitMs(this.#options.retryPeriodMs * SHORT_WAIT);
    else {
      const periodMs = this.#options.retryPeriodMs * (isConflict ? SHORT_WAIT : 1);
      this.#nextAttemptMs = Math.max(this.#at.nowMs + periodMs * SHORT_WAIT, sentAt.nowMs + periodMs);
    }
  }

  /** There is no such Lease. */
  #missing(purpose: Purpose): void {
    // While our term lasts, no other candidate can hold it.
    if (this.#term === undefined) this.#observed.missing(this.#at.nowMs);
    else this.#observed.forget();
    this.#writes.forget();
    if (purpose === 'release' || this.#isReleasing) this.#endWith('released');
    else if (this.#term !== undefined) this.#lose('deleted');
    else if (this.#options.isMembership && this.#wasHeld) this.#endWith('fenced');
    else if (this.#at.nowMs < this.#observed.creatableAtMs) this.#waitUntil(this.#observed.creatableAtMs);
    else this.#send('create', 'acquire');
  }

  /** A term that has ended is over for its owner, too, before the next one can begin. */
  #lose(reason: LossReason): void {
    this.#endTerm(reason);
    this.#abortPending();
    this.#mustRead = true;
    this.#waitMs(this.#acquireWaitMs());
    const isFenced = this.#options.isMembership && (reason === 'taken' || reason === 'deleted');
    if (isFenced) this.#endWith('fenced');
  }

  #endTerm(reason: LossReason): void {
    if (this.#term !== undefined) this.#effects.push({ type: 'lost', term: this.#term.number, reason });
    this.#term = undefined;
  }

  #release(): void {
    if (this.#isReleasing) return;
    this.#releaseBeforeMs = this.#at.nowMs + this.#options.renewDeadlineMs;
    this.#endTerm('yielded');
    this.#nextAttemptMs = this.#at.nowMs;
    const isWriting = this.#pending !== undefined && this.#pending.verb !== 'get';
    // A write that is under way may make us the holder: its outcome is awaited, and then released.
    if (isWriting) return;
    this.#abortPending();
    if (!this.#hasWritten) this.#endWith('released');
  }

  #endWith(reason: ElectionEnd): void {
    if (this.isEnded) return;
    this.#abortPending();
    this.#endTerm('yielded');
    this.#end = reason;
    this.#effects.push({ type: 'ended', reason });
  }

  #abortPending(): void {
    if (this.#pending !== undefined) this.#effects.push({ type: 'abort', id: this.#pending.id });
    this.#pending = undefined;
  }

  get #isReleasing(): boolean {
    return this.#releaseBeforeMs !== undefined;
  }

  get #isReleaseLate(): boolean {
    return this.#releaseBeforeMs !== undefined && this.#at.nowMs >= this.#releaseBeforeMs;
  }

  get #isOwnerSilent(): boolean {
    const { nowMs, ownerSeenMs } = this.#at;
    return nowMs - ownerSeenMs >= this.#options.renewDeadlineMs * OWNER_FRESH_SHARE;
  }

  #acquireWaitMs(): number {
    return this.#options.retryPeriodMs * (MIN_ACQUIRE_WAIT + this.#random() * ACQUIRE_JITTER);
  }

  /** Until the next attempt, or a moment at which other candidates can acquire the Lease, too. */
  #waitUntil(expiresAtMs: number): void {
    const jitterMs = this.#random() * EXPIRY_JITTER * this.#options.retryPeriodMs;
    this.#nextAttemptMs = Math.min(this.#at.nowMs + this.#acquireWaitMs(), expiresAtMs + jitterMs);
  }

  #waitMs(delayMs: number): void {
    this.#nextAttemptMs = this.#at.nowMs + delayMs;
  }
}
