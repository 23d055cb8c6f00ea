import type { LeaseResult, LeaseVerb } from '#dist/src/lease/election-types.js';
import type { Lease } from '#dist/src/lease/lease.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import type { ScheduleResult } from '../schedule.js';
import { Trace } from '../trace.js';
import { ELECTOR_FAULTS, type ElectorFault } from './elector-faults.js';
import type { ElectorSubject } from './elector-subject.js';
import { EventQueue } from './event-queue.js';
import { failed, LeaseServer } from './lease-server.js';
import { SimElector } from './sim-elector.js';

const HOUR_MS = 3_600_000;
/** client-go's defaults. */
const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
/** After the faults: for requests under way, and for a lease to expire. */
const CALM_MS = 60_000;
/** The promises, for a server that responds at once. */
const SUCCESSOR_AFTER_CRASH_MS = 20_000;
const SUCCESSOR_AFTER_RELEASE_MS = 3000;

/** Faults after which there is another candidate. */
const STARTS_ANOTHER: readonly ElectorFault[] = ['crash', 'release'];

export interface ElectorScheduleOptions {
  readonly seed: number;
  /** Faults, one a second. */
  readonly steps: number;
  readonly subject: ElectorSubject;
  readonly isPrinted?: boolean;
}

/**
 * Candidates compete for one Lease while requests, clocks, threads and processes fail. At every moment at most one of
 * them may be the leader in its own view, whether it runs or is held up, and a term that is over stays so. When the faults have ended, there is a leader,
 * and a successor after a crash and after a release, in time.
 */
export async function runElectorSchedule(options: ElectorScheduleOptions): Promise<ScheduleResult> {
  return new ElectorSchedule(options).run();
}

class ElectorSchedule {
  readonly #options: ElectorScheduleOptions;
  readonly #random: SeededRandom;
  readonly #queue = new EventQueue();
  readonly #trace: Trace;
  readonly #server = new LeaseServer();
  readonly #electors: SimElector[] = [];
  readonly #enabled = new Set<ElectorFault>();
  readonly #partitioned = new Map<string, number>();
  /** Elector → the uid of the Lease that it read or wrote last. */
  readonly #seen = new Map<string, string>();
  #downUntilMs = 0;
  #started = 0;
  #violation: string | undefined;

  constructor(options: ElectorScheduleOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#trace = new Trace(() => this.#queue.nowMs, options.isPrinted ?? false);
    for (const fault of ELECTOR_FAULTS) if (this.#random.chance(0.5)) this.#enabled.add(fault);
    // A suspended machine whose clock is set back believes in any lease: no clock is left that shows the time.
    if (this.#enabled.has('machine suspended')) this.#enabled.delete('wall clock stepped back');
    // A candidate that starts when the Lease is gone cannot know that there was a leader a moment ago.
    if (this.#enabled.has('lease deleted')) for (const fault of STARTS_ANOTHER) this.#enabled.delete(fault);
    this.#trace.line(`seed ${options.seed} steps ${options.steps} ${[...this.#enabled].join(', ')}`);
  }

  run(): ScheduleResult {
    const count = this.#random.between(2, 5);
    for (let i = 0; i < count; i++) this.#start();
    for (let step = 0; step < this.#options.steps && this.#violation === undefined; step++) {
      this.#queue.after(this.#random.between(0, 900), () => this.#injectFault());
      this.#advance(1000);
    }
    this.#calm();
    if (this.#violation !== undefined) this.#trace.line(this.#violation);
    return {
      seed: this.#options.seed,
      hash: this.#trace.digest(),
      violation: this.#violation,
      tail: this.#trace.tail,
      counters: this.#trace.counters,
    };
  }

  #advance(ms: number): void {
    this.#queue.runUntil(this.#queue.nowMs + ms, () => this.#check());
    this.#check();
  }

  #check(): void {
    if (this.#violation !== undefined) return;
    const leading = this.#electors.filter(({ isLeading }) => isLeading);
    if (leading.length > 1) {
      this.#violation = `${leading.map(({ label }) => label).join(' and ')} both believe that they lead`;
    }
    const revived = this.#electors.find(({ hasRevived }) => hasRevived);
    if (revived !== undefined)
      this.#violation ??= `a term of ${revived.label} was over, and is current again`;
  }

  #start(): void {
    const label = `elector-${this.#started++}`;
    const identity = this.#enabled.has('same identity') && this.#hit('same identity', 0.5) ? 'twin' : label;
    const isOff = this.#enabled.has('clock an hour off') && this.#hit('clock an hour off', 0.5);
    const hasRate = this.#hit('clocks of different rates', 1);
    this.#electors.push(
      new SimElector({
        namespace: 'default',
        name: 'lease',
        identity,
        ...TIMES,
        label,
        subject: this.#options.subject,
        queue: this.#queue,
        random: this.#random,
        trace: this.#trace,
        // 15 / 10 allows for more.
        rate: hasRate ? 0.9 + 0.2 * this.#random.next() : 1,
        wallOffsetMs: isOff ? this.#random.pick([-HOUR_MS, HOUR_MS]) : this.#random.between(-500, 500),
        send: (verb, lease, respond) => this.#send(label, verb, lease, respond),
      }),
    );
    this.#trace.line(`${label} starts as ${identity}`);
  }

  #hit(fault: ElectorFault, probability: number): boolean {
    if (!this.#enabled.has(fault) || !this.#random.chance(probability)) return false;
    this.#trace.count(`fault ${fault}`);
    return true;
  }

  #send(
    label: string,
    verb: LeaseVerb,
    lease: Lease | undefined,
    respond: (result: LeaseResult) => void,
  ): void {
    const random = this.#random;
    const thereMs = this.#hit('slow request', 0.04) ? random.between(500, 25_000) : random.between(1, 30);
    const backMs = this.#hit('slow response', 0.04) ? random.between(500, 25_000) : random.between(1, 30);
    if (this.#isUnreachable(label) || this.#hit('request lost', 0.04)) return;
    this.#queue.after(thereMs, () => {
      if (this.#queue.nowMs < this.#downUntilMs) return;
      if (this.#hit('error before the commit', 0.04)) {
        this.#queue.after(backMs, () => respond(failed(500, 'InternalError')));
        return;
      }
      let result = this.#server.apply(verb, lease);
      if (verb !== 'get')
        this.#trace.line(`${label}: ${verb}: ${result.type}, holder ${this.#server.holder}`);
      if (this.#isUnreachable(label)) return;
      if (verb !== 'get' && this.#hit('response lost after the commit', 0.06)) return;
      if (verb !== 'get' && this.#hit('error after the commit', 0.04)) result = failed(504, 'Timeout');
      const { uid } = this.#server;
      this.#queue.after(backMs, () => {
        if (result.type === 'ok' && uid !== undefined) this.#seen.set(label, uid);
        respond(result);
      });
    });
  }

  #isUnreachable(label: string): boolean {
    return this.#queue.nowMs < (this.#partitioned.get(label) ?? 0);
  }

  /** The leader, mostly. */
  #victim(): SimElector | undefined {
    const well = this.#electors.filter(({ isWell }) => isWell);
    const leader = well.find(({ isLeading }) => isLeading);
    return leader !== undefined && this.#random.chance(0.7) ? leader : this.#random.pick(well);
  }

  #injectFault(): void {
    const victim = this.#victim();
    const enabled = [...this.#enabled];
    if (victim === undefined || enabled.length === 0 || !this.#random.chance(0.15)) return;
    const fault = this.#random.pick(enabled);
    const ms = this.#random.between(500, 40_000);
    if (!this.#inflict(fault, victim, ms)) return;
    this.#trace.line(`${fault}: ${victim.label}, ${ms} ms`);
    this.#trace.count(`fault ${fault}`);
  }

  /** False for a fault of requests, or of clocks from the start. */
  #inflict(fault: ElectorFault, victim: SimElector, ms: number): boolean {
    if (fault === 'lease deleted' && !this.#isSeenByAll) return false;
    const actions: Partial<Record<ElectorFault, () => void>> = {
      partition: () => this.#partitioned.set(victim.label, this.#queue.nowMs + ms),
      'server down': () => {
        this.#downUntilMs = this.#queue.nowMs + ms;
      },
      'process stopped': () => victim.stopFor(ms),
      'machine suspended': () => victim.suspendFor(ms),
      'main thread blocked': () => victim.blockFor(ms),
      'wall clock stepped forward': () => victim.stepWallClock(this.#random.pick([ms, HOUR_MS])),
      'wall clock stepped back': () => victim.stepWallClock(-this.#random.pick([ms, HOUR_MS])),
      crash: () => {
        victim.crash();
        this.#start();
      },
      'lease deleted': () => this.#server.delete(),
      release: () => {
        victim.releaseAfter(this.#random.between(0, 5000));
        this.#start();
      },
    };
    const action = actions[fault];
    action?.();
    return action !== undefined;
  }

  /** Without faults: a leader, and successors. */
  #calm(): void {
    if (this.#violation !== undefined) return;
    this.#trace.line('the faults end');
    this.#enabled.clear();
    this.#partitioned.clear();
    this.#downUntilMs = 0;
    this.#advance(CALM_MS);
    for (let started = this.#wellCount; started < 3; started++) this.#start();
    this.#advance(CALM_MS);
    this.#expectSuccessor('crash', SUCCESSOR_AFTER_CRASH_MS, (leader) => leader.crash());
    this.#expectSuccessor('release', SUCCESSOR_AFTER_RELEASE_MS, (leader) => leader.releaseAfter(0));
    // The successor may lead before the response has arrived.
    this.#advance(1000);
    const unfinished = this.#electors.find(
      ({ isReleasing, isEnded, isDead }) => isReleasing && !isEnded && !isDead,
    );
    if (unfinished !== undefined) this.#violation ??= `${unfinished.label} was released, and has not ended`;
  }

  get #isSeenByAll(): boolean {
    const { uid } = this.#server;
    return uid !== undefined && this.#electors.every(({ label }) => this.#seen.get(label) === uid);
  }

  get #wellCount(): number {
    return this.#electors.filter(({ isWell }) => isWell).length;
  }

  #expectSuccessor(after: 'crash' | 'release', withinMs: number, end: (leader: SimElector) => void): void {
    if (this.#violation !== undefined) return;
    const leader = this.#electors.find(({ isLeading, isWell }) => isLeading && isWell);
    if (leader === undefined) {
      this.#violation = 'there is no leader, although nothing fails';
      return;
    }
    this.#trace.line(`${after} of ${leader.label}`);
    end(leader);
    const endMs = this.#queue.nowMs + withinMs;
    while (this.#queue.nowMs < endMs && !this.#electors.some((one) => one !== leader && one.isLeading)) {
      this.#advance(50);
    }
    const successor = this.#electors.find((one) => one !== leader && one.isLeading);
    if (successor === undefined) this.#violation ??= `no successor within ${withinMs} ms of a ${after}`;
    else this.#trace.count(`path successor after a ${after}`);
  }
}
