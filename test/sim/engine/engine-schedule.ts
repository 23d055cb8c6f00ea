import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Engine } from '#dist/src/engine/engine.js';
import type { InformerOptions } from '#dist/src/engine/informer-options.js';
import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { SpawnSnapshotThread } from '#dist/src/pool/snapshot-thread.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { VirtualClock } from '../../support/time/virtual-clock.js';
import { ApiServer, type ServerContext } from '../api-server.js';
import { Faults } from '../faults.js';
import { History } from '../history.js';
import {
  BASES,
  CONVERGENCE_MS,
  changeCluster,
  REPAIR_MS,
  type ScheduleResult,
  traceReport,
} from '../schedule.js';
import { Trace } from '../trace.js';
import { CheckingHandler } from './checking-handler.js';
import { CountingClock } from './counting-clock.js';
import { ENGINE_FAULTS, type EngineFault, HIDE_FALSE_BOOKMARKS, RESUMABLE_FAULTS } from './engine-faults.js';
import type { EngineSubject } from './engine-subject.js';
import { HttpFrontend } from './http-frontend.js';
import { InformerChecks } from './informer-checks.js';
import { OwnWriteChecks } from './own-write-checks.js';
import { openSimChannel } from './sim-channel.js';
import { SimNetwork } from './sim-network.js';
import { SimThreads } from './sim-threads.js';

/** Batches that may be in flight to the main thread on one stream: the credits of a list. */
const MAX_IN_FLIGHT = 16;
/** How long `close` may take while a handler hangs: a little more than the default of `StopOptions.timeoutMs`. */
const CLOSE_MS = 11_000;
const BURST = 60;
/** A slow handler takes up to ten seconds for some of its calls, and may be some hundred calls behind. */
const HANDLERS_MS = 3_600_000;

export interface EngineScheduleOptions {
  readonly seed: number;
  /** Steps before the faults end. */
  readonly steps: number;
  readonly subject: EngineSubject;
  readonly isPrinted?: boolean;
  /** What happened before. @default nothing */
  readonly history?: History;
}

/** One fault at a fixed point. */
export interface SingleFault {
  /** Before this byte of all bytes from the server arrives, its connection is cut. */
  readonly cutBeforeByte?: number;
  /** After this message of all messages to the main thread, its worker dies. */
  readonly dieAfterMessage?: number;
}

/** Everything that a run of the engine scenario consists of, derived from one seed. */
export class EngineContext implements ServerContext {
  readonly random: SeededRandom;
  readonly clock: VirtualClock = new VirtualClock();
  /** The engine's clock: counts the engine's timers without those of dead threads. */
  readonly engineClock: CountingClock = new CountingClock(this.clock);
  readonly trace: Trace;
  readonly faults: Faults<EngineFault>;
  readonly history: History;
  readonly subject: EngineSubject;
  /** True if only faults occur after which no relist is needed. */
  readonly isResumable: boolean;
  readonly violations: string[] = [];
  /** Keys of unreadable list items, with the latest revision at that time: the cache may lack or have an older state. */
  readonly exemptions: Map<string, number> = new Map();
  readonly transcoder: ReturnType<EngineSubject['Transcoder']['create']>;
  readonly decoder: 'simd' | 'json';
  /** Of the namespace kube-system. */
  clusterUid = 'cluster-1';
  /** The token that the server accepts. */
  token = 'token-1';
  /** In addition to the random faults. */
  singleFault: SingleFault = {};
  /** Until then everything sent on any connection is lost, and connections stay open. */
  blackHoleUntilMs = 0;
  bytesDelivered = 0;
  messagesPosted = 0;

  /** `faults`: those that may be enabled. @default all, or, in some runs, only those that need no relist */
  constructor(
    { seed, steps, subject, isPrinted, history }: EngineScheduleOptions,
    faults?: readonly EngineFault[],
  ) {
    this.random = new SeededRandom(seed);
    this.subject = subject;
    this.trace = new Trace(() => this.clock.read(), isPrinted ?? false);
    this.isResumable = faults !== undefined || this.random.chance(0.15);
    const possible = faults ?? (this.isResumable ? RESUMABLE_FAULTS : ENGINE_FAULTS);
    this.faults = new Faults(this.random, this.trace, possible);
    this.#keepFalseBookmarksDetectable();
    const base = this.random.pick(BASES);
    this.history = history ?? new History(base);
    this.decoder = faults === undefined && this.random.chance(0.25) ? 'simd' : 'json';
    this.transcoder = this.decoder === 'simd' ? subject.Transcoder.create() : undefined;
    this.trace.line(`seed ${seed} steps ${steps} ${this.isResumable ? 'gentle ' : ''}${this.faults.enabled}`);
  }

  /** True if threads may be terminated at any time. */
  get canTerminateThreads(): boolean {
    return !this.faults.isEnabled('bookmark-ahead');
  }

  get isBlackHole(): boolean {
    return !this.faults.isOver && this.clock.read() < this.blackHoleUntilMs;
  }

  violate(message: string): void {
    this.violations.push(message);
    this.trace.line(`violation ${message}`);
  }

  exempt(key: string): void {
    this.exemptions.set(key, this.history.latest);
  }

  noteInFlight(batches: number): void {
    // Twice the credits: the fault message-repeated adds batches that the worker did not send.
    if (batches > MAX_IN_FLIGHT * 2) this.violate(`${batches} batches are in flight at once`);
  }

  #keepFalseBookmarksDetectable(): void {
    if (!this.faults.isEnabled('bookmark-ahead')) return;
    this.faults.disable(this.random.chance(0.7) ? ['bookmark-ahead'] : HIDE_FALSE_BOOKMARKS);
  }
}

/** Runs the engine scenario from one seed: the code of both threads, a server with writers and faults, and an informer that is checked at every step. */
export async function runEngineSchedule(options: EngineScheduleOptions): Promise<ScheduleResult> {
  const context = new EngineContext(options);
  const { clock, random, trace, faults, history } = context;
  const server = new ApiServer(context);
  const network = new SimNetwork(context, new HttpFrontend(context, server).handle);
  const threads = new SimThreads(context, network);
  const names = Array.from({ length: random.between(3, 14) }, (_, index) => `obj-${index}`);
  for (const name of names) if (random.chance(0.6)) server.write(name);

  const engine = createEngine(context, threads);
  const hasResync = random.chance(0.3);
  const informer = createInformer(context, engine, hasResync);
  const checks = new InformerChecks(context, server, informer, names.length);
  const ownWrites = new OwnWriteChecks(context, informer, options.seed);
  const handlers: CheckingHandler[] = [];
  const addHandler = (): void => {
    const handler = new CheckingHandler(context, informer, { name: `handler-${handlers.length}`, hasResync });
    handlers.push(handler);
    informer.addEventHandler(handler, { name: handler.name });
    trace.count('path handler added');
  };
  const onReport = (message: unknown): void =>
    traceReport(trace, (message as { readonly report: ReflectorReport }).report);
  subscribe('kubeflect:reflector:report', onReport);
  clock.creepMs = random.pick([0, 0, 0.01, 0.3]);
  clock.onStep = () => checks.check();
  try {
    addHandler();
    informer.start();
    for (let at = 0; at < options.steps && context.violations.length === 0; at++) {
      step(context, server, threads, names);
      ownWrites.report();
      if (random.chance(0.02)) addHandler();
      await clock.advance(random.chance(0.02) ? random.between(1000, 700_000) : random.between(0, 4000));
    }
    faults.end();
    trace.line('faults end');
    for (const name of [...server.poisoned]) server.write(name);
    server.catchUpAll();
    await converge(context, server, checks, handlers);
    ownWrites.checkAllSeen();
    checks.checkNoRelist();
    trace.line(`converged at ${history.versionOf(history.latest)}`);
  } finally {
    await close(context, engine, handlers);
    unsubscribe('kubeflect:reflector:report', onReport);
  }
  if (threads.alive > 0) context.violate(`${threads.alive} threads are still alive`);
  if (network.openSockets > 0) context.violate(`${network.openSockets} sockets are still open`);
  return {
    seed: options.seed,
    hash: trace.digest(),
    violation: context.violations[0],
    tail: trace.tail,
    counters: trace.counters,
  };
}

/** @param snapshots the directory of its snapshots, and their thread */
export function createEngine(
  context: EngineContext,
  threads: SimThreads,
  snapshots?: { readonly everyMs: number; readonly spawn: SpawnSnapshotThread },
): Engine {
  const { engineClock: clock, random, faults, subject, trace } = context;
  return new subject.Engine(
    {
      connection: () => {
        if (faults.strikes('credentials-fail')) throw new Error('sim: no credentials');
        return { server: 'http://sim', headers: { Authorization: `Bearer ${context.token}` } };
      },
      workers: random.between(1, 3),
      ...(snapshots && { snapshot: { directory: '/sim', everyMs: snapshots.everyMs } }),
      advanced: {
        clock,
        random: random.next,
        // Small batches, so that there are many; low limits, so that small objects exceed them.
        limits: { batchBytes: random.pick([1024, 4096]), depth: 20, listMs: 60_000 },
      },
      onError: (error) => {
        trace.line(`error ${error.code}`);
        trace.count(`path error ${error.code}`);
      },
    },
    {
      spawn: threads.spawn,
      openChannel: () => openSimChannel(context),
      ...(snapshots && { spawnSnapshotThread: snapshots.spawn }),
    },
  );
}

export function createInformer(
  context: EngineContext,
  engine: Engine,
  hasResync: boolean,
  snapshot?: InformerOptions['snapshot'],
): SharedInformer<KubernetesObject> {
  const { random } = context;
  return engine.informer({
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    list: random.pick(['paged', 'full', 'stream', 'stream'] as const),
    pageSize: random.pick([2, 5, 500]),
    indexers: { byNode: 'spec.nodeName' },
    ...(hasResync && { resyncPeriodMs: 30_000 }),
    ...(snapshot !== undefined && { snapshot }),
    advanced: {
      decoder: context.decoder,
      mergeAbove: random.pick([1, 20]),
      ...(random.chance(0.3) && { reflector: { maxInternalErrorRetryDurationMs: 10_000 } }),
    },
  });
}

/** One step of the cluster, the network and the threads. */
export function step(
  context: EngineContext,
  server: ApiServer,
  threads: SimThreads,
  names: readonly string[],
): void {
  const { clock, faults, random, trace, isResumable } = context;
  if (isResumable) {
    if (random.chance(0.7)) server.write(random.pick(names));
    else server.remove(random.pick(names));
  } else changeCluster(context, server, names);
  // More events than a stream has credits for.
  if (random.chance(0.02)) for (let i = 0; i < BURST; i++) server.write(random.pick(names));
  if (isResumable) server.catchUpAll();
  if (context.canTerminateThreads && random.chance(0.03)) {
    trace.count('path worker terminated');
    threads.terminateOne();
  }
  if (faults.strikes('net-hole-for-all'))
    context.blackHoleUntilMs = clock.read() + random.between(1000, 90_000);
  if (faults.strikes('token-rotated')) context.token = `token-${random.between(1, 1_000_000)}`;
  if (faults.strikes('main-stands-still')) clock.jump(random.between(1000, 3_600_000));
}

/** After the faults and the writes: the indexer and every handler that does not hang must reach the server's state. */
export async function converge(
  context: EngineContext,
  server: ApiServer,
  checks: InformerChecks,
  handlers: readonly CheckingHandler[],
): Promise<void> {
  const { clock, violations } = context;
  let sinceMs = clock.read();
  const wait = async (limitMs: number, what: () => string): Promise<void> => {
    if (clock.read() - sinceMs >= limitMs) context.violate(`not converged: ${what()}`);
    server.catchUpAll();
    await clock.advance(5000);
  };
  while (violations.length === 0 && !checks.matchesServer) {
    await wait(checks.differsOnlyInExempt ? REPAIR_MS : CONVERGENCE_MS, () =>
      checks.differences().join(', '),
    );
  }
  // Handlers that hang must not delay the others; after their release they must catch up, too.
  for (const isReleased of [false, true]) {
    sinceMs = clock.read();
    if (isReleased) for (const handler of handlers) handler.release();
    const waited = handlers.filter((handler) => isReleased || !handler.isHanging);
    while (violations.length === 0 && !waited.every((handler) => checks.foldMatchesServer(handler.fold))) {
      for (const handler of waited) if (isReleased) handler.release();
      await wait(HANDLERS_MS, () => 'the handlers');
    }
  }
}

/** Closes the engine: no timer may be left, and no handler may be called afterwards. */
export async function close(
  context: EngineContext,
  engine: Engine,
  handlers: readonly CheckingHandler[],
): Promise<void> {
  const { clock } = context;
  clock.onStep = undefined;
  let isClosed = false;
  void engine.close().then(() => {
    isClosed = true;
  });
  for (const handler of handlers) handler.isEnded = true;
  await clock.advance(CLOSE_MS);
  if (!isClosed) context.violate('the engine could not be closed');
  for (const handler of handlers) handler.release();
  await clock.drain();
  const { pendingTimers } = context.engineClock;
  if (pendingTimers > 0) context.violate(`${pendingTimers} timers are still pending`);
}
