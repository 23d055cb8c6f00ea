import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Engine } from '#dist/src/engine/engine.js';
import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { VirtualClock } from '../../support/time/virtual-clock.js';
import { ApiServer, type ServerWorld } from '../api-server.js';
import { Faults } from '../faults.js';
import { History } from '../history.js';
import { act, BASES, CONVERGENCE_MS, observe, REPAIR_MS, type ScheduleResult } from '../schedule.js';
import { Trace } from '../trace.js';
import { CheckingHandler } from './checking-handler.js';
import { CountingClock } from './counting-clock.js';
import { ENGINE_FAULTS, type EngineFault, GENTLE_FAULTS, HIDES_A_LIE } from './engine-faults.js';
import type { EngineSubject } from './engine-subject.js';
import { HttpFront } from './http-front.js';
import { InformerChecks } from './informer-checks.js';
import { openSimChannel } from './sim-channel.js';
import { SimNetwork } from './sim-network.js';
import { SimThreads } from './sim-threads.js';

/** Batches that may be on their way to the main thread on one stream: the credits of a list. */
const MOST_IN_FLIGHT = 16;
/** How long `close` may take while a handler hangs: the default of `StopOptions.timeoutMs`, and a little. */
const CLOSE_MS = 11_000;
const BURST = 60;
/** A slow handler takes up to ten seconds for some of its calls, and has some hundred calls to catch up with. */
const HANDLERS_MS = 3_600_000;

export interface EngineScheduleOptions {
  readonly seed: number;
  /** What the world does before the faults stop. */
  readonly steps: number;
  readonly subject: EngineSubject;
  readonly isPrinted?: boolean;
}

/** One thing that is to go wrong, and when. */
export interface Accident {
  /** The connection over which this byte of all that were sent to the client would arrive is cut before it. */
  readonly cutBeforeByte?: number;
  /** The thread that posts this message, of all, dies after it. */
  readonly dieAfterMessage?: number;
}

/** Everything that there is, from one seed. */
export class EngineWorld implements ServerWorld {
  readonly random: SeededRandom;
  readonly clock: VirtualClock = new VirtualClock();
  /** What the engine is given. Dead threads have timers too, but those are nobody's any more. */
  readonly engineClock: CountingClock = new CountingClock(this.clock);
  readonly trace: Trace;
  readonly faults: Faults<EngineFault>;
  readonly history: History;
  readonly subject: EngineSubject;
  /** True if nothing happens that would be a reason to list again. */
  readonly isGentle: boolean;
  readonly violations: string[] = [];
  /** Keys that a list could not show, and the revision at which it was so. */
  readonly excuses: Map<string, number> = new Map();
  readonly transcoder: ReturnType<EngineSubject['Transcoder']['create']>;
  readonly decoder: 'simd' | 'json';
  /** What the server accepts. */
  token = 'token-1';
  /** Apart from what faults do. */
  accident: Accident = {};
  /** Until then, what is sent gets lost, on every connection, and what was open stays open. */
  holeUntilMs = 0;
  bytesDelivered = 0;
  messagesPosted = 0;

  /** `faults`: those that may be. @default all, or for some worlds only those that cost no list */
  constructor({ seed, steps, subject, isPrinted }: EngineScheduleOptions, faults?: readonly EngineFault[]) {
    this.random = new SeededRandom(seed);
    this.subject = subject;
    this.trace = new Trace(() => this.clock.read(), isPrinted ?? false);
    this.isGentle = faults !== undefined || this.random.chance(0.15);
    const possible = faults ?? (this.isGentle ? GENTLE_FAULTS : ENGINE_FAULTS);
    this.faults = new Faults(this.random, this.trace, possible);
    this.#keepLiesVisible();
    this.history = new History(this.random.pick(BASES));
    this.decoder = faults === undefined && this.random.chance(0.25) ? 'simd' : 'json';
    this.transcoder = this.decoder === 'simd' ? subject.Transcoder.create() : undefined;
    this.trace.line(`seed ${seed} steps ${steps} ${this.isGentle ? 'gentle ' : ''}${this.faults.enabled}`);
  }

  /** True if a thread may be ended from outside at any time. */
  get isTerminating(): boolean {
    return !this.faults.isEnabled('bookmark-ahead');
  }

  get isHole(): boolean {
    return !this.faults.isOver && this.clock.read() < this.holeUntilMs;
  }

  violate(text: string): void {
    this.violations.push(text);
    this.trace.line(`violation ${text}`);
  }

  excuse(key: string): void {
    this.excuses.set(key, this.history.latest);
  }

  noteInFlight(batches: number): void {
    // Repeated ones are the world's, not the worker's.
    if (batches > MOST_IN_FLIGHT * 2) this.violate(`${batches} batches are on their way at once`);
  }

  #keepLiesVisible(): void {
    if (!this.faults.isEnabled('bookmark-ahead')) return;
    this.faults.disable(this.random.chance(0.7) ? ['bookmark-ahead'] : HIDES_A_LIE);
  }
}

/** Runs the engine in one world: real code of both threads, a server with writers and faults, informers that are checked at every step. */
export async function runEngineSchedule(options: EngineScheduleOptions): Promise<ScheduleResult> {
  const world = new EngineWorld(options);
  const { clock, random, trace, faults, history } = world;
  const server = new ApiServer(world);
  const network = new SimNetwork(world, new HttpFront(world, server).handle);
  const threads = new SimThreads(world, network);
  const names = Array.from({ length: random.between(3, 14) }, (_, index) => `obj-${index}`);
  for (const name of names) if (random.chance(0.6)) server.write(name);

  const engine = createEngine(world, threads);
  const hasResync = random.chance(0.3);
  const informer = createInformer(world, engine, hasResync);
  const checks = new InformerChecks(world, server, informer, names.length);
  const handlers: CheckingHandler[] = [];
  const addHandler = (): void => {
    const handler = new CheckingHandler(world, informer, { name: `handler-${handlers.length}`, hasResync });
    handlers.push(handler);
    informer.addEventHandler(handler, { name: handler.name });
    trace.count('path handler added');
  };
  const onReport = (message: unknown): void =>
    observe(trace, (message as { readonly report: ReflectorReport }).report);
  subscribe('kubeflect:reflector:report', onReport);
  clock.creepMs = random.pick([0, 0, 0.01, 0.3]);
  clock.onStep = () => checks.check();
  try {
    addHandler();
    informer.start();
    for (let at = 0; at < options.steps && world.violations.length === 0; at++) {
      step(world, server, threads, names);
      if (random.chance(0.02)) addHandler();
      await clock.advance(random.chance(0.02) ? random.between(1000, 700_000) : random.between(0, 4000));
    }
    faults.end();
    trace.line('faults end');
    for (const name of [...server.poisoned]) server.write(name);
    server.catchUpAll();
    await converge(world, server, checks, handlers);
    checks.checkEconomy();
    trace.line(`converged at ${history.versionOf(history.latest)}`);
  } finally {
    await close(world, engine, handlers);
    unsubscribe('kubeflect:reflector:report', onReport);
  }
  if (threads.alive > 0) world.violate(`${threads.alive} threads were left behind`);
  if (network.openSockets > 0) world.violate(`${network.openSockets} sockets were left behind`);
  return {
    seed: options.seed,
    hash: trace.digest(),
    violation: world.violations[0],
    tail: trace.tail,
    sometimes: trace.sometimes,
  };
}

export function createEngine(world: EngineWorld, threads: SimThreads): Engine {
  const { engineClock: clock, random, faults, subject, trace } = world;
  return new subject.Engine(
    {
      connection: () => {
        if (faults.strikes('credentials-fail')) throw new Error('sim: no credentials');
        return { server: 'http://sim', headers: { Authorization: `Bearer ${world.token}` } };
      },
      workers: random.between(1, 3),
      advanced: {
        clock,
        random: random.next,
        // Small, so that there are many batches; low, so that nothing has to be large to be refused.
        limits: { batchBytes: random.pick([1024, 4096]), depth: 20, listMs: 60_000 },
      },
      onError: (error) => {
        trace.line(`error ${error.code}`);
        trace.count(`path error ${error.code}`);
      },
    },
    { spawn: threads.spawn, openChannel: () => openSimChannel(world) },
  );
}

export function createInformer(
  world: EngineWorld,
  engine: Engine,
  hasResync: boolean,
): SharedInformer<KubernetesObject> {
  const { random } = world;
  return engine.informer({
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    list: random.pick(['paged', 'full', 'stream', 'stream'] as const),
    pageSize: random.pick([2, 5, 500]),
    indexers: { byNode: 'spec.nodeName' },
    ...(hasResync && { resyncPeriodMs: 30_000 }),
    advanced: {
      decoder: world.decoder,
      mergeAbove: random.pick([1, 20]),
      ...(random.chance(0.3) && { reflector: { maxInternalErrorRetryDurationMs: 10_000 } }),
    },
  });
}

/** What the world does next, besides what strikes by itself. */
function step(world: EngineWorld, server: ApiServer, threads: SimThreads, names: readonly string[]): void {
  const { clock, faults, random, trace, isGentle } = world;
  if (isGentle) {
    if (random.chance(0.7)) server.write(random.pick(names));
    else server.remove(random.pick(names));
  } else act(world, server, names);
  // More than a stream has credit for.
  if (random.chance(0.02)) for (let i = 0; i < BURST; i++) server.write(random.pick(names));
  if (isGentle) server.catchUpAll();
  if (world.isTerminating && random.chance(0.03)) {
    trace.count('path worker terminated');
    threads.terminateOne();
  }
  if (faults.strikes('net-hole-for-all')) world.holeUntilMs = clock.read() + random.between(1000, 90_000);
  if (faults.strikes('token-rotated')) world.token = `token-${random.between(1, 1_000_000)}`;
  if (faults.strikes('main-stands-still')) clock.jump(random.between(1000, 3_600_000));
}

/** The faults are over and the writers rest: the store has to become right, and every handler that can has to be told. */
export async function converge(
  world: EngineWorld,
  server: ApiServer,
  checks: InformerChecks,
  handlers: readonly CheckingHandler[],
): Promise<void> {
  const { clock, violations } = world;
  let sinceMs = clock.read();
  const wait = async (limitMs: number, what: () => string): Promise<void> => {
    if (clock.read() - sinceMs >= limitMs) world.violate(`not converged: ${what()}`);
    server.catchUpAll();
    await clock.advance(5000);
  };
  while (violations.length === 0 && !checks.isRight) {
    await wait(checks.isExcused ? REPAIR_MS : CONVERGENCE_MS, () => checks.differences().join(', '));
  }
  // Those that hang are nobody else's trouble; then they go on, too.
  for (const isReleased of [false, true]) {
    sinceMs = clock.read();
    if (isReleased) for (const handler of handlers) handler.release();
    const waited = handlers.filter((handler) => isReleased || !handler.isHanging);
    while (violations.length === 0 && !waited.every((handler) => checks.isFoldRight(handler.fold))) {
      for (const handler of waited) if (isReleased) handler.release();
      await wait(HANDLERS_MS, () => 'the handlers');
    }
  }
}

/** Nothing may be left, and nobody may be told anything any more. */
export async function close(
  world: EngineWorld,
  engine: Engine,
  handlers: readonly CheckingHandler[],
): Promise<void> {
  const { clock } = world;
  clock.onStep = undefined;
  let isClosed = false;
  void engine.close().then(() => {
    isClosed = true;
  });
  for (const handler of handlers) handler.isEnded = true;
  await clock.advance(CLOSE_MS);
  if (!isClosed) world.violate('the engine could not be closed');
  for (const handler of handlers) handler.release();
  await clock.drain();
  const { pendingTimers } = world.engineClock;
  if (pendingTimers > 0) world.violate(`${pendingTimers} timers were left behind`);
}
