import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { SpawnSnapshotThread } from '#dist/src/pool/snapshot-thread.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { CrashingFiles } from '../../support/snapshot/crashing-files.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { ApiServer } from '../api-server.js';
import { CheckingHandler } from '../engine/checking-handler.js';
import { ENGINE_FAULTS } from '../engine/engine-faults.js';
import {
  close,
  converge,
  createEngine,
  createInformer,
  EngineContext,
  type EngineScheduleOptions,
  step,
} from '../engine/engine-schedule.js';
import { HttpFrontend } from '../engine/http-frontend.js';
import { InformerChecks } from '../engine/informer-checks.js';
import { SimNetwork } from '../engine/sim-network.js';
import { SimThreads } from '../engine/sim-threads.js';
import { History } from '../history.js';
import { BASES, type ScheduleResult, traceReport } from '../schedule.js';

/** Processes of one run, each of which may start with what the one before has left. */
const MAX_LIVES = 6;
/** A process takes a part of the steps of a run: short lives start more often. */
const STEPS_SHARE = 4;
const MAX_WRITES_BETWEEN = 40;
/** Of replicas picked at random: most likely all of them. */
const REPLICA_RESTARTS = 8;

/** What survives a process. */
interface World {
  readonly random: SeededRandom;
  readonly files: CrashingFiles;
  readonly names: readonly string[];
  history: History;
  cluster: number;
  /** The next process finds the server as it was restored, and nothing changes at first. */
  isQuiet: boolean;
}

interface LifeResult {
  readonly hash: string;
  readonly violation: string | undefined;
  readonly tail: readonly string[];
  readonly counters: ReadonlyMap<string, number>;
}

/**
 * Runs the snapshot scenario from one seed: engines one after the other, with one directory. Each is closed, killed, or
 * stops with its machine, at any write or sync of a snapshot. In between the server goes on, is restored from a backup,
 * or is another one. Each engine must behave as one that starts cold; the last one must end with the server's state.
 */
export async function runSnapshotSchedule(options: EngineScheduleOptions): Promise<ScheduleResult> {
  const random = new SeededRandom(options.seed);
  const names = Array.from({ length: random.between(3, 14) }, (_, index) => `obj-${index}`);
  const world: World = {
    random,
    names,
    files: new CrashingFiles(random.next),
    history: new History(random.pick(BASES)),
    cluster: 1,
    isQuiet: false,
  };
  for (const name of names) if (random.chance(0.6)) world.history.put(name);
  const lives = random.between(2, MAX_LIVES);
  const hash = createHash('sha256');
  const counters = new Map<string, number>();
  let last: LifeResult | undefined;
  for (let life = 1; life <= lives && last?.violation === undefined; life++) {
    last = await live(world, options, life === lives, random.between(1, 2 ** 31));
    hash.update(last.hash);
    for (const [name, times] of last.counters) counters.set(name, (counters.get(name) ?? 0) + times);
    if (life < lives) changeWorld(world, counters);
  }
  const { violation, tail = [] } = last ?? {};
  return { seed: options.seed, hash: hash.digest('hex'), violation, tail, counters };
}

/** What happens while no process runs. */
function changeWorld(world: World, counters: Map<string, number>): void {
  const { random, names } = world;
  const count = (name: string): void => void counters.set(name, (counters.get(name) ?? 0) + 1);
  if (random.chance(0.4)) {
    // Often just before what the process has seen last.
    const { latest } = world.history;
    const backup = random.chance(0.5)
      ? Math.max(0, latest - random.pick([0, 1, 1, random.between(0, 8)]))
      : random.between(0, latest);
    const lost = Array.from({ length: latest - backup }, (_, i) => world.history.change(backup + 1 + i));
    world.history = world.history.fork(backup);
    count('path restored from a backup');
    // The same writers do the same again: the same objects get the same versions, and other contents.
    if (random.chance(0.5)) {
      for (const change of lost.slice(0, random.between(1, 8))) world.history.redo(change);
    }
  } else if (random.chance(0.15)) {
    world.cluster++;
    world.history = new History(random.pick(BASES), `uid-of-${world.cluster}`);
    for (const name of names) if (random.chance(0.6)) world.history.put(name);
    count('path another cluster');
  }
  const writesBetween = random.pick([0, 0, 1, 5, MAX_WRITES_BETWEEN]);
  world.isQuiet = writesBetween === 0;
  for (let writes = writesBetween; writes > 0; writes--) {
    if (random.chance(0.7)) world.history.put(random.pick(names));
    else world.history.delete(random.pick(names));
  }
}

/** One process, from its start to its end. */
async function live(
  world: World,
  options: EngineScheduleOptions,
  isLast: boolean,
  seed: number,
): Promise<LifeResult> {
  const { files, names } = world;
  const context = new EngineContext({ ...options, seed, history: world.history });
  const { clock, random, trace, faults } = context;
  context.clusterUid = `cluster-${world.cluster}`;
  // What the server has to say about false bookmarks is the engine scenario's.
  faults.disable(['bookmark-ahead']);
  if (random.chance(0.5)) faults.disable(ENGINE_FAULTS);
  else if (random.chance(0.4)) faults.disable(UNREADABLE);
  const server = new ApiServer(context);
  server.catchUpAll();
  if (random.chance(0.2)) {
    server.compact();
    server.restartReplica();
  }
  const network = new SimNetwork(context, new HttpFrontend(context, server).handle);
  const threads = new SimThreads(context, network);
  const isStale = random.chance(0.3);
  const spawn = snapshotThread(context, files);
  const engine = createEngine(context, threads, { everyMs: random.pick([500, 5000, 60_000]), spawn });
  const informer = createInformer(context, engine, false, isStale ? { readStale: true } : true);
  const checks = new InformerChecks(context, server, informer, names.length);
  const handler = new CheckingHandler(context, informer, { name: 'handler', hasResync: false });
  informer.addEventHandler(handler, { name: handler.name });
  const onReport = (message: unknown): void =>
    traceReport(trace, (message as { readonly report: ReflectorReport }).report);
  subscribe('kubeflect:reflector:report', onReport);
  clock.onStep = () => {
    // A stale cache may be of any version, and of another cluster.
    if (informer.hasSynced || !isStale) checks.check();
    if (!informer.hasSynced && isStale && handler.fold.size > 0 && informer.indexer.size === 0) {
      context.violate('the handler was notified before the server had confirmed anything');
    }
  };
  const isKilled = !isLast && random.chance(0.6);
  if (isKilled && random.chance(0.7)) files.crashAt = files.operations + random.between(1, 40);
  const isCrashed = (): boolean => files.operations >= files.crashAt;
  try {
    informer.start();
    const isGoingOn = (): boolean => context.violations.length === 0 && !isCrashed();
    // The first that the server sends is a bookmark then, or nothing.
    if (world.isQuiet || random.chance(0.3)) await clock.advance(random.between(0, 60_000));
    const steps = random.between(1, Math.ceil(options.steps / STEPS_SHARE));
    const pauseMs = random.pick([200, 1000, 4000]);
    const writeChance = random.pick([0.1, 1, 1]);
    for (let at = 0; at < steps && isGoingOn(); at++) {
      if (random.chance(writeChance)) step(context, server, threads, names);
      await clock.advance(random.chance(0.02) ? random.between(1000, 700_000) : random.between(0, pauseMs));
    }
    if (random.chance(0.15) && isGoingOn()) {
      // An object that cannot be read, and events after it.
      server.poison(random.pick(names));
      for (let writes = random.between(1, 3); writes > 0; writes--) server.write(random.pick(names));
      server.catchUpAll();
      await clock.advance(random.between(0, 5000));
    }
    if (random.chance(0.3) && isGoingOn()) {
      missEvents(world, server, threads);
      await clock.advance(random.between(0, 30_000));
    }
    if (isLast) {
      faults.end();
      for (const name of [...server.poisoned]) server.write(name);
      server.catchUpAll();
      await converge(context, server, checks, [handler]);
    }
    if (informer.isWarm && informer.hasSynced) trace.count('path warm start');
  } finally {
    if (isKilled) files.crashAt = Math.min(files.crashAt, files.operations + 1);
    await close(context, engine, [handler]);
    unsubscribe('kubeflect:reflector:report', onReport);
  }
  if (isKilled) trace.count('path killed');
  files.restart(isKilled && random.chance(0.5));
  const { violations } = context;
  return { hash: trace.digest(), violation: violations[0], tail: trace.tail, counters: trace.counters };
}

/** A process whose watch has ended comes back when its version has expired: it lists, and then nothing changes any more. */
function missEvents({ random, names }: World, server: ApiServer, threads: SimThreads): void {
  threads.terminateOne();
  for (let writes = random.between(1, 5); writes > 0; writes--) {
    if (random.chance(0.6)) server.write(random.pick(names));
    else server.remove(random.pick(names));
  }
  for (let restarts = 0; restarts < REPLICA_RESTARTS; restarts++) server.restartReplica();
}

/** Faults because of which nothing is written. */
const UNREADABLE = [
  'list-unreadable-item',
  'list-unreadable-nameless-item',
  'unreadable-event',
  'unreadable-nameless-event',
  'unknown-event-with-object',
] as const;

/** Runs the thread's code on this one; its answers take time. */
function snapshotThread(context: EngineContext, files: CrashingFiles): SpawnSnapshotThread {
  const { clock, random, subject } = context;
  return ({ onResponse, onGone }) => {
    let arrivesAtMs = 0;
    const service = new subject.SnapshotService(
      (response) => {
        arrivesAtMs = Math.max(arrivesAtMs, clock.read() + random.between(0, 20));
        clock.schedule(() => onResponse(response), arrivesAtMs - clock.read());
      },
      {
        openDirectory: async () => ({ files, isHeld: true, release: () => {} }),
        collectGarbage: () => {},
        randomBytes: (bytes) => Buffer.from(Array.from({ length: bytes }, () => random.between(0, 255))),
      },
    );
    let last: Promise<void> = Promise.resolve();
    return {
      post: (request) => {
        last = last
          .then(() => new Promise<void>((resolve) => clock.schedule(resolve, random.between(0, 20))))
          .then(() => service.handle(request));
      },
      setPending: () => {},
      end: async () => {
        await last;
        onGone();
      },
    };
  };
}
