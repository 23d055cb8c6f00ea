/**
 * Rings of 2 to 9 members on a simulated API server in virtual time, with the faults of docs/sharding.md: processes that
 * are killed, stopped and continued, suspended, partitioned, added and removed; requests that are slow, lost, or made
 * without a response; views that lag.
 */

import type { RingDriver, RingMembership } from '../../../src/ring/ring-driver.js';
import type { RingWrite, WriteResult } from '../../../src/ring/ring-member.js';
import type { MemberView, ShardView } from '../../../src/ring/ring-view.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import type { ScheduleResult } from '../schedule.js';
import { Trace } from '../trace.js';

export interface RingSubject {
  readonly RingDriver: typeof RingDriver;
  /** A bug: a membership counts from when the response came, however late, and not from when the renewal was sent. */
  readonly countsFromResponse?: boolean;
}

export const RING_FAULTS = [
  'kill',
  'stop',
  'suspend',
  'partition',
  'lagging view',
  'join',
  'leave',
  'deleted member Lease',
  'forbidden',
  'lost response',
  'slow request',
  'slow response',
  'refused request',
  'relist',
] as const;

/** Of `RING_FAULTS`: what is done to processes, not to requests and views. */
const PROCESS_FAULTS = 9;

const SHARDS = 16;
const LEASE_MS = 10_000;
const RENEW_DEADLINE_MS = 7000;
const RENEW_MS = 2000;
const TICK_MS = 500;
/** Within which every shard has an owner that reconciles, once the faults have ended. */
const RECOVERY_MS = 25_000;
const MAX_MEMBERS = 9;
const CHECK_MS = 100;
const MAX_PAUSE_MS = 60_000;

/** A Lease of a member or a shard on the server. */
interface StoredLease {
  readonly version: number;
  readonly holder: string;
  readonly transitions: number;
  readonly prepared: readonly number[];
  readonly isLeaving: boolean;
}

class Violation extends Error {}

/** The future, in virtual time. */
class Timeline {
  nowMs = 0;
  readonly #events: { atMs: number; order: number; run: () => void }[] = [];
  #order = 0;

  at(atMs: number, run: () => void): void {
    const event = { atMs: Math.max(atMs, this.nowMs), order: this.#order++, run };
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle] as typeof event;
      if (other.atMs <= event.atMs) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Runs everything up to this time. */
  until(endMs: number): void {
    for (let next = this.#events[0]; next !== undefined && next.atMs <= endMs; next = this.#events[0]) {
      this.#events.shift();
      this.nowMs = next.atMs;
      next.run();
    }
    this.nowMs = endMs;
  }
}

/** Leases, with versions in the order of the writes, and a log that views follow. */
class LeaseServer {
  readonly leases = new Map<string, StoredLease>();
  readonly log: { readonly name: string; readonly lease: StoredLease | undefined }[] = [];
  #version = 0;

  /** Undefined: there was a conflict. `base` 0: the Lease is created. */
  write(name: string, base: number, lease: Omit<StoredLease, 'version'> | undefined): number | undefined {
    if ((this.leases.get(name)?.version ?? 0) !== base) return undefined;
    const stored = lease && { ...lease, version: ++this.#version };
    if (stored === undefined) this.leases.delete(name);
    else this.leases.set(name, stored);
    this.log.push({ name, lease: stored });
    return this.#version;
  }
}

interface World {
  readonly timeline: Timeline;
  readonly server: LeaseServer;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly subject: RingSubject;
  /** Of each shard: how often its data was changed, by reconciles of its owners. */
  readonly data: number[];
  /** Reconciles that are running, by shard: who runs them. */
  readonly reconciling: Map<number, { readonly replica: Replica; readonly id: string | undefined }>;
  /** Faults of requests, while there are faults. */
  isCalm: boolean;
}

let replicaNumber = 0;

/** One process with its ring driver, its own clocks, its view and its cache. */
class Replica {
  readonly name: string;
  readonly driver: RingDriver;
  readonly #world: World;
  #isDead = false;
  #resumesAtMs = 0;
  #partitionedUntilMs = 0;
  #lagUntilMs = 0;
  /** The monotonic clock stands still while the machine is suspended. */
  #suspendedMs = 0;
  #boots = 0;
  #isLeaving = false;
  /** It may renew its Lease, but not write those of shards: for good. */
  #isForbidden = false;
  #seen = 0;
  readonly #view = { members: new Map<string, MemberView>(), shards: new Map<number, ShardView>() };
  /** Of each shard: the data that the cache has, and since when by the own clock. */
  readonly #cached = new Map<number, { data: number; atMs: number }>();
  #membership: Membership | undefined;

  constructor(world: World) {
    this.#world = world;
    this.name = `m${++replicaNumber}`;
    this.driver = new world.subject.RingDriver({
      shards: SHARDS,
      leaseDurationMs: LEASE_MS,
      settleMs: RENEW_MS,
      now: () => this.nowMs,
      newId: () => `${this.name}-${++this.#boots}`,
      join: (id) => {
        this.#membership = new Membership(world, this, id);
        return this.#membership;
      },
      view: () => this.#view,
      write: (write, done) => this.#write(write, done),
      caches: {
        isSynced: (shard) => this.#cached.has(shard),
        isConfirmed: (shard, sinceMs) => (this.#cached.get(shard)?.atMs ?? -1) > sinceMs,
      },
      onWanted: (shards) => this.#fill(shards),
      onEvent: ({ type, shard }) => {
        world.trace.line(`${this.name} ${type} ${shard}`);
        world.trace.count(`path ${type}`);
      },
    });
    this.#tick();
  }

  /** The monotonic clock of this process. */
  get nowMs(): number {
    return this.#world.timeline.nowMs - this.#suspendedMs;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isPaused(): boolean {
    return this.#world.timeline.nowMs < this.#resumesAtMs;
  }

  get isPartitioned(): boolean {
    return this.#world.timeline.nowMs < this.#partitionedUntilMs;
  }

  get isReachable(): boolean {
    return !this.#isDead && !this.isPaused && !this.isPartitioned;
  }

  reconciles(shard: number): boolean {
    const turn = this.#isDead || this.isPaused ? undefined : this.driver.enter(shard);
    turn?.end();
    return turn !== undefined;
  }

  get isStaying(): boolean {
    return !this.#isDead && !this.#isLeaving;
  }

  get isForbidden(): boolean {
    return this.#isForbidden;
  }

  leave(): void {
    this.#isLeaving = true;
    this.driver.leave();
  }

  forbid(): void {
    this.#isForbidden = true;
  }

  kill(): void {
    this.#isDead = true;
  }

  stop(forMs: number): void {
    this.#resumesAtMs = Math.max(this.#resumesAtMs, this.#world.timeline.nowMs + forMs);
  }

  suspend(forMs: number): void {
    if (this.isPaused) return;
    this.stop(forMs);
    const { timeline } = this.#world;
    const fromMs = timeline.nowMs;
    const resume = (): void => {
      if (this.isPaused) timeline.at(this.#resumesAtMs, resume);
      // What the monotonic clock has missed.
      else this.#suspendedMs += this.#resumesAtMs - fromMs;
    };
    timeline.at(this.#resumesAtMs, resume);
  }

  partition(forMs: number): void {
    this.#partitionedUntilMs = this.#world.timeline.nowMs + forMs;
  }

  lag(forMs: number): void {
    this.#lagUntilMs = this.#world.timeline.nowMs + forMs;
  }

  heal(): void {
    const { nowMs } = this.#world.timeline;
    this.#partitionedUntilMs = nowMs;
    this.#lagUntilMs = nowMs;
  }

  /** Runs when this process does: at once, or when it continues. */
  whenRunning(run: () => void, afterPauseMs = 0): void {
    if (this.#isDead) return;
    if (!this.isPaused) run();
    else {
      const { timeline } = this.#world;
      timeline.at(this.#resumesAtMs + afterPauseMs, () => this.whenRunning(run, afterPauseMs));
    }
  }

  /** Sends a conditional write; `done` is called once, with what the client learns of it. */
  send(
    name: string,
    base: number,
    lease: Omit<StoredLease, 'version'> | undefined,
    done: (result: WriteResult) => void,
  ): void {
    const { timeline, random, server, trace, isCalm } = this.#world;
    const hasFault = (fault: (typeof RING_FAULTS)[number], chance: number): boolean => {
      if (isCalm || !random.chance(chance)) return false;
      trace.count(`fault ${fault}`);
      return true;
    };
    const isSlow = hasFault('slow request', 0.03);
    const arrivesMs = isSlow ? random.between(500, 30_000) : random.between(1, 30);
    const takesMs = hasFault('slow response', 0.1) ? random.between(500, 3400) : random.between(1, 30);
    const isLost = hasFault('lost response', 0.03);
    const isRefused = hasFault('refused request', 0.03);
    const timeoutMs = 3500;
    let isDone = false;
    const finish = (result: WriteResult): void =>
      this.whenRunning(() => {
        if (isDone) return;
        isDone = true;
        done(result);
      });
    timeline.at(timeline.nowMs + timeoutMs, () => finish({ type: 'unknown' }));
    if (!this.isReachable) return;
    timeline.at(timeline.nowMs + arrivesMs, () => {
      if (isRefused) {
        finish({ type: 'failed' });
        return;
      }
      const version = server.write(name, base, lease);
      trace.line(
        `${this.name} writes ${name} ${lease?.holder ?? 'nothing'} on ${base}: ${version ?? 'conflict'}`,
      );
      // The kernel of a stopped process receives what it reads when it continues.
      if (isLost || this.isPartitioned) return;
      const result: WriteResult =
        version === undefined ? { type: 'conflict' } : { type: 'written', resourceVersion: String(version) };
      timeline.at(timeline.nowMs + takesMs, () => finish(result));
    });
  }

  #write(write: RingWrite, done: (result: WriteResult) => void): void {
    this.#world.trace.count(`path ${write.type === 'shard' ? write.why : write.type}`);
    if (this.#isForbidden) {
      const { timeline } = this.#world;
      timeline.at(timeline.nowMs + 1, () => this.whenRunning(() => done({ type: 'failed' })));
      return;
    }
    if (write.type === 'shard') {
      const lease = { holder: write.holder, transitions: write.epoch, prepared: [], isLeaving: false };
      this.send(`shard-${write.shard}`, Number(write.base?.resourceVersion ?? 0), lease, done);
      return;
    }
    const { id, resourceVersion, transitions } = write.member;
    const fenced = { holder: '', transitions: transitions + 1, prepared: [], isLeaving: false };
    this.send(id, Number(resourceVersion), write.type === 'fence' ? fenced : undefined, done);
  }

  #tick(): void {
    if (this.#isDead || this.driver.hasLeft) return;
    this.#world.timeline.at(this.#world.timeline.nowMs + TICK_MS, () =>
      this.whenRunning(
        () => {
          this.#follow();
          this.driver.poke();
          this.#reconcile();
          this.#tick();
        },
        this.#world.random.between(0, TICK_MS),
      ),
    );
  }

  /** Reads the log up to now, or up to where a lagging server has it. */
  #follow(): void {
    const { server, timeline, random, isCalm, trace } = this.#world;
    if (!this.isReachable || timeline.nowMs < this.#lagUntilMs) return;
    if (!isCalm && random.chance(0.05)) {
      trace.count('fault relist');
      this.#relist();
      return;
    }
    for (; this.#seen < server.log.length; this.#seen++) {
      const { name, lease } = server.log[this.#seen] as (typeof server.log)[number];
      this.#see(name, lease);
    }
  }

  /** What has changed meanwhile, in another order than that of the changes; the driver may look in between. */
  #relist(): void {
    const { server, random } = this.#world;
    const changed = new Set(server.log.slice(this.#seen).map(({ name }) => name));
    this.#seen = server.log.length;
    const names = [...changed].sort();
    if (random.chance(0.5)) names.reverse();
    for (const name of names) {
      this.#see(name, server.leases.get(name));
      this.driver.poke();
    }
  }

  #see(name: string, lease: StoredLease | undefined): void {
    const shard = /^shard-(\d+)$/.exec(name)?.[1];
    if (shard !== undefined && lease !== undefined) {
      const { holder, version, transitions } = lease;
      this.#view.shards.set(Number(shard), {
        holder,
        resourceVersion: String(version),
        epoch: transitions,
      });
    } else if (lease === undefined) this.#view.members.delete(name);
    else {
      this.#view.members.set(name, {
        id: name,
        resourceVersion: String(lease.version),
        holder: lease.holder,
        transitions: lease.transitions,
        seenAtMs: this.nowMs,
        prepared: new Set(lease.prepared),
        isLeaving: lease.isLeaving,
      });
    }
  }

  /** Lists the shards that are missing in the cache; the others are watched. */
  #fill(shards: readonly number[]): void {
    for (const shard of this.#cached.keys()) if (!shards.includes(shard)) this.#cached.delete(shard);
    this.#refresh(shards);
  }

  #refresh(shards: readonly number[]): void {
    const { timeline, random, data } = this.#world;
    timeline.at(timeline.nowMs + random.between(50, 1500), () =>
      this.whenRunning(() => {
        if (this.driver.hasLeft) return;
        if (this.isReachable) {
          for (const shard of shards) this.#cached.set(shard, { data: data[shard] ?? 0, atMs: this.nowMs });
          this.driver.poke();
        }
        if (shards === this.#wanted || this.#wanted.length === 0) this.#wanted = shards;
        if (shards === this.#wanted) this.#refresh(shards);
      }),
    );
    this.#wanted = shards;
  }

  #wanted: readonly number[] = [];

  /** Begins reconciles of shards that are its own; each ends some time later, or when it is aborted. */
  #reconcile(): void {
    const { timeline, random, reconciling, data, trace } = this.#world;
    for (let shard = 0; shard < SHARDS; shard++) {
      if (!random.chance(0.2)) continue;
      const turn = this.driver.enter(shard);
      if (turn === undefined) continue;
      const other = reconciling.get(shard);
      if (other?.replica === this) {
        turn.end();
        continue;
      }
      if (other?.replica.isMember(other.id) === true) {
        throw new Violation(`shard ${shard} is reconciled by ${other.replica.name} and ${this.name}`);
      }
      const cached = this.#cached.get(shard)?.data ?? -1;
      if (cached < (data[shard] ?? 0) && this.#owners[shard] !== this) {
        throw new Violation(
          `${this.name} reconciles shard ${shard} with data ${cached} in its cache, before ${data[shard]}`,
        );
      }
      const begun = { replica: this, id: this.driver.id };
      reconciling.set(shard, begun);
      trace.count('path reconcile');
      const end = (): void =>
        this.whenRunning(() => {
          // Code that looks at the clocks before it writes, writes nothing any more.
          if (this.driver.isOwned(shard) && !turn.signal.aborted) {
            data[shard] = (data[shard] ?? 0) + 1;
            this.#owners[shard] = this;
          }
          if (reconciling.get(shard) === begun) reconciling.delete(shard);
          turn.end();
          this.driver.poke();
        });
      timeline.at(timeline.nowMs + random.between(10, 4000), end);
    }
  }

  get #owners(): (Replica | undefined)[] {
    return lastWriters;
  }

  /**
   * Whether this process lives, and holds its Lease under this id. What such a process reconciles must have ended before
   * another one begins; one that has lost its Lease looks at its clocks before it writes.
   */
  isMember(id: string | undefined): boolean {
    return !this.#isDead && this.driver.id === id && this.#membership?.sinceMs !== undefined;
  }
}

let lastWriters: (Replica | undefined)[] = [];

/** The Lease of a member, renewed every 2 s; held until 7 s after the last renewal was sent. */
class Membership implements RingMembership {
  readonly #world: World;
  readonly #replica: Replica;
  readonly #id: string;
  #version = 0;
  #heldSinceMs: number | undefined;
  #deadlineMs = 0;
  /** By the wall clock, which does not stop. */
  #wallDeadlineMs = 0;
  #prepared: readonly number[] = [];
  #isLeaving = false;
  #hasEnded = false;
  #isWriting = false;
  #mustWrite = false;

  constructor(world: World, replica: Replica, id: string) {
    this.#world = world;
    this.#replica = replica;
    this.#id = id;
    this.#renew();
  }

  get sinceMs(): number | undefined {
    const isHeld =
      !this.#hasEnded &&
      this.#replica.nowMs < this.#deadlineMs &&
      this.#world.timeline.nowMs < this.#wallDeadlineMs;
    return isHeld ? this.#heldSinceMs : undefined;
  }

  get isOver(): boolean {
    return this.#hasEnded || (this.#heldSinceMs !== undefined && this.sinceMs === undefined);
  }

  announce(prepared: readonly number[], isLeaving: boolean): void {
    this.#prepared = prepared;
    this.#isLeaving = isLeaving;
    this.#renew();
  }

  release(): void {
    this.#hasEnded = true;
    const released = { holder: '', transitions: 0, prepared: [], isLeaving: true };
    if (this.#version > 0) this.#replica.send(this.#id, this.#version, released, () => {});
  }

  #renew(): void {
    if (this.#hasEnded || this.#replica.isDead) return;
    if (this.#isWriting) {
      this.#mustWrite = true;
      return;
    }
    this.#isWriting = true;
    this.#mustWrite = false;
    const { timeline, subject, server } = this.#world;
    const sentAtMs = this.#replica.nowMs;
    const sentAtWallMs = timeline.nowMs;
    const lease = {
      holder: this.#id,
      transitions: 0,
      prepared: this.#prepared,
      isLeaving: this.#isLeaving,
    };
    this.#replica.send(this.#id, this.#version, lease, (result) => {
      this.#isWriting = false;
      if (result.type === 'written') {
        this.#version = Number(result.resourceVersion);
        // A term that has ended does not come back.
        const { countsFromResponse = false } = subject;
        const isContinued =
          countsFromResponse || this.#heldSinceMs === undefined || this.sinceMs !== undefined;
        if (isContinued) {
          this.#heldSinceMs ??= this.#replica.nowMs;
          this.#deadlineMs = (countsFromResponse ? this.#replica.nowMs : sentAtMs) + RENEW_DEADLINE_MS;
          this.#wallDeadlineMs = (countsFromResponse ? timeline.nowMs : sentAtWallMs) + RENEW_DEADLINE_MS;
        }
      } else {
        const stored = server.leases.get(this.#id);
        const isOwn = stored?.holder === this.#id;
        // Read again, as an election does; a Lease with another holder was fenced.
        if (this.#replica.isReachable && isOwn) this.#version = stored.version;
        if (this.#replica.isReachable && this.#version > 0 && !isOwn) this.#hasEnded = true;
      }
      this.#replica.driver.poke();
      const delayMs = this.#mustWrite || result.type !== 'written' ? 250 : RENEW_MS;
      timeline.at(timeline.nowMs + delayMs, () => this.#replica.whenRunning(() => this.#due()));
    });
  }

  #due(): void {
    this.#renew();
  }
}

export interface RingScheduleOptions {
  readonly subject: RingSubject;
  readonly seed: number;
  readonly steps: number;
  readonly isPrinted?: boolean;
}

/** One run: faults for `steps` seconds, and then 25 s to recover. */
export async function runRingSchedule(options: RingScheduleOptions): Promise<ScheduleResult> {
  const { seed, steps, subject, isPrinted = false } = options;
  const timeline = new Timeline();
  const random = new SeededRandom(seed);
  const trace = new Trace(() => timeline.nowMs, isPrinted);
  replicaNumber = 0;
  lastWriters = [];
  const world: World = {
    timeline,
    random,
    trace,
    subject,
    server: new LeaseServer(),
    data: new Array<number>(SHARDS).fill(0),
    reconciling: new Map(),
    isCalm: true,
  };
  const replicas: Replica[] = [];
  let violation: string | undefined;
  const check = (): void => checkOwners(replicas);
  const run = (forMs: number): void => {
    for (const endMs = timeline.nowMs + forMs; timeline.nowMs < endMs; ) {
      timeline.until(Math.min(endMs, timeline.nowMs + CHECK_MS));
      check();
    }
  };
  try {
    for (let i = random.between(2, 5); i > 0; i--) replicas.push(new Replica(world));
    const start = new Recovery(timeline, replicas);
    for (let i = 0; i < RECOVERY_MS / CHECK_MS + 1; i++) {
      run(CHECK_MS);
      start.check();
    }
    world.isCalm = false;
    for (let step = 0; step < steps; step++) {
      if (random.chance(0.3)) injectFault(world, replicas);
      run(random.between(200, 2000));
    }
    world.isCalm = true;
    for (const replica of replicas) replica.heal();
    // Until the last one continues, and requests that are under way have arrived.
    run(MAX_PAUSE_MS);
    const recovery = new Recovery(timeline, replicas);
    for (let i = 0; i < 2 * (RECOVERY_MS / CHECK_MS); i++) {
      run(CHECK_MS);
      recovery.check();
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  }
  return { seed, violation, hash: trace.digest(), tail: trace.tail, counters: trace.counters };
}

function injectFault(world: World, replicas: Replica[]): void {
  const { random, trace } = world;
  const living = replicas.filter(({ isStaying }) => isStaying);
  const fault = random.pick(RING_FAULTS.slice(0, PROCESS_FAULTS));
  const replica = living.length === 0 ? undefined : random.pick(living);
  if (fault === 'join') {
    if (living.length >= MAX_MEMBERS) return;
    replicas.push(new Replica(world));
  } else if (replica === undefined) return;
  else if (fault === 'kill' || fault === 'leave') {
    if (living.filter(({ isForbidden }) => !isForbidden).length <= 2) return;
    if (fault === 'kill' || replica.isForbidden) replica.kill();
    else replica.leave();
  } else if (fault === 'stop') replica.stop(random.between(100, 40_000));
  else if (fault === 'suspend') replica.suspend(random.between(1000, MAX_PAUSE_MS));
  else if (fault === 'deleted member Lease') {
    const { server } = world;
    const { id = '' } = replica.driver;
    const lease = server.leases.get(id);
    if (lease !== undefined) server.write(id, lease.version, undefined);
  } else if (fault === 'forbidden') {
    // It cannot leave either: only a process that ends does.
    if (living.filter(({ isForbidden }) => !isForbidden).length <= 2) return;
    replica.forbid();
  } else if (fault === 'partition') replica.partition(random.between(1000, 40_000));
  else replica.lag(random.between(1000, 60_000));
  trace.count(`fault ${fault}`);
  trace.line(`fault ${fault} ${replica?.name ?? ''}`);
}

/** By everyone's own belief, a shard has at most one owner. A stopped process looks at its clocks before it acts. */
function checkOwners(replicas: readonly Replica[]): void {
  for (let shard = 0; shard < SHARDS; shard++) {
    const owners = replicas.filter(({ isDead, driver }) => !isDead && driver.isOwned(shard));
    if (owners.length > 1) {
      throw new Violation(`shard ${shard} is owned by ${owners.map(({ name }) => name).join(' and ')}`);
    }
  }
}

/** No shard may be without an owner that reconciles for longer than the recovery takes. */
class Recovery {
  readonly #timeline: Timeline;
  readonly #replicas: readonly Replica[];
  readonly #activeAtMs: number[];

  constructor(timeline: Timeline, replicas: readonly Replica[]) {
    this.#timeline = timeline;
    this.#replicas = replicas;
    this.#activeAtMs = new Array<number>(SHARDS).fill(timeline.nowMs);
  }

  check(): void {
    const { nowMs } = this.#timeline;
    for (let shard = 0; shard < SHARDS; shard++) {
      if (this.#replicas.some((replica) => replica.reconciles(shard))) this.#activeAtMs[shard] = nowMs;
      const withoutMs = nowMs - (this.#activeAtMs[shard] ?? 0);
      if (withoutMs > RECOVERY_MS) {
        throw new Violation(`for ${withoutMs} ms without a fault, nothing reconciles shard ${shard}`);
      }
    }
  }
}

/** The compiled files of `src`, or of a copy with a planted bug. */
export async function loadRingSubject(built: URL): Promise<RingSubject> {
  const load = async <T>(file: string): Promise<T> => (await import(new URL(file, built).href)) as T;
  const { RingDriver: Driver } = await load<{ RingDriver: typeof RingDriver }>('src/ring/ring-driver.js');
  return { RingDriver: Driver };
}
