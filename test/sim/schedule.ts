import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Reflector } from '#dist/src/reflector/reflector.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { SeededRandom } from '../support/time/seeded-random.js';
import { VirtualClock } from '../support/time/virtual-clock.js';
import { ApiServer, type ServerWorld, type World } from './api-server.js';
import { CheckingStore, Violation } from './checking-store.js';
import { FAULTS, Faults } from './faults.js';
import { History } from './history.js';
import { InformerStack } from './informer-stack.js';
import type { Subject } from './subject.js';
import { Trace } from './trace.js';

export interface ScheduleResult {
  readonly seed: number;
  readonly hash: string;
  /** Undefined if every promise was kept. */
  readonly violation: string | undefined;
  readonly tail: readonly string[];
  readonly sometimes: ReadonlyMap<string, number>;
}

export interface ScheduleOptions {
  readonly seed: number;
  /** What the world does before the faults stop. */
  readonly steps: number;
  readonly subject: Subject;
  readonly isPrinted?: boolean;
}

/** Where versions start: short, about to grow a digit, about to leave the integers of a double, far beyond. */
export const BASES = [1n, 90n, 99_950n, 2n ** 53n - 40n, 10n ** 20n - 60n];
/**
 * After the faults, the store must be right within this: the longest silent watch (630 s), a wait on the ladder (60 s),
 * a stalled list (120 s), a Retry-After (32 s), and another wait.
 */
export const CONVERGENCE_MS = 1_200_000;
/** What could not be read is asked for again after one more stream, then two, four, up to 64 of ten minutes each. */
export const REPAIR_MS = 43_200_000;
/** Slow handlers take up to ten seconds for some of their calls, and have some hundred calls to catch up with. */
export const HANDLERS_MS = 600_000;
/** The shortest wait that the reflector knows: the first step of its ladder. */
const MIN_PAUSE_MS = 800;

/** Runs one world from one seed: a server with writers and faults, a reflector, a store that checks everything. */
export async function runSchedule(options: ScheduleOptions): Promise<ScheduleResult> {
  const { seed, steps, subject } = options;
  const random = new SeededRandom(seed);
  const clock = new VirtualClock();
  const trace = new Trace(() => clock.now(), options.isPrinted ?? false);
  const faults = new Faults(random, trace, FAULTS);
  const history = new History(random.pick(BASES));
  const world: World = { clock, random, trace, faults, history, subject };
  const server = new ApiServer(world);
  const store = new CheckingStore(world, server);
  const violations: string[] = [];
  trace.line(`seed ${seed} steps ${steps} ${faults.enabled}`);

  const names = Array.from({ length: random.between(3, 14) }, (_, index) => `obj-${index}`);
  for (const name of names) if (random.chance(0.6)) server.write(name);
  // Failures of the store are part of the world; failures of the checks are not the reflector's to handle.
  const guarded = guardedStore(store, violations);
  const common = {
    name: 'sim',
    listerWatcher: server,
    store: guarded,
    clock,
    random: random.next,
    useWatchList: random.chance(0.6),
    watchListPageSize: random.pick([0, 0, 2, 5]),
    maxInternalErrorRetryDurationMs: random.pick([0, 10_000]),
    resyncPeriodMs: random.pick([0, 30_000]),
    report: (report: ReflectorReport) => observe(trace, report),
    watchErrorHandler: (_: unknown, error: Error) => {
      trace.line(`error ${error.message}`);
      trace.count('path error handler');
    },
  };
  const controller = new AbortController();
  let reflector: Reflector<KubernetesObject> | undefined;
  const runReflector = (signal: AbortSignal, resync: object = {}): Promise<void> => {
    reflector = new subject.Reflector({ ...common, ...resync });
    return reflector.run(signal);
  };
  // Half of the worlds have an informer behind the store that checks, with handlers that check.
  const stack = random.chance(0.5) ? new InformerStack(world, violations) : undefined;
  const running =
    stack === undefined
      ? runReflector(controller.signal)
      : stack.run(controller.signal, (context, signal) => {
          store.forwardTo = context.store;
          const { resyncPeriodMs, shouldResync } = context;
          return runReflector(signal, { resyncPeriodMs, shouldResync });
        });

  let lastVersion = '';
  const check = (): void => {
    const version = reflector?.lastSyncResourceVersion ?? '';
    if (version !== lastVersion && isOlder(history, version, lastVersion)) {
      violations.push(`lastSyncResourceVersion went back from ${lastVersion} to ${version}`);
    }
    lastVersion = version;
  };

  for (let at = 0; at < steps && violations.length === 0; at++) {
    act(world, server, names);
    if (random.chance(0.01)) stack?.addHandler();
    await clock.advance(random.chance(0.03) ? random.between(1000, 700_000) : random.between(0, 4000));
    check();
  }
  faults.end();
  trace.line('faults end');
  for (const name of [...server.poisoned]) server.write(name);
  server.catchUpAll();
  await converge(world, server, store, stack, violations, check);
  trace.line(`converged at ${store.version}`);
  controller.abort();
  // A slow handler may hold the informer's end up for ten seconds; nothing may hold the reflector's.
  await clock.advance(stack === undefined ? 0 : 10_000);
  await running;
  await clock.drain();
  stack?.end();
  if (clock.pendingTimers > 0) violations.push(`${clock.pendingTimers} timers were left behind`);
  violations.push(...hammering(server));
  for (const violation of violations) trace.line(`violation ${violation}`);
  return {
    seed,
    hash: trace.digest(),
    violation: violations[0],
    tail: trace.tail,
    sometimes: trace.sometimes,
  };
}

/** The faults are over and the writers rest: the store has to become right, and then the informer behind it. */
async function converge(
  { clock }: World,
  server: ApiServer,
  store: CheckingStore,
  stack: InformerStack | undefined,
  violations: string[],
  check: () => void,
): Promise<void> {
  let sinceMs = clock.now();
  const wait = async (limitMs: number, what: () => string): Promise<void> => {
    if (clock.now() - sinceMs >= limitMs) violations.push(`not converged: ${what()}`);
    server.catchUpAll();
    await clock.advance(5000);
    check();
  };
  while (violations.length === 0 && !store.isRight) {
    await wait(store.isExcused ? REPAIR_MS : CONVERGENCE_MS, () => store.differences().join(', '));
  }
  sinceMs = clock.now();
  while (violations.length === 0 && stack?.isRight === false) await wait(HANDLERS_MS, () => 'the informer');
}

/** What writers and the keeper of the cluster do next. */
export function act({ random }: ServerWorld, server: ApiServer, names: readonly string[]): void {
  const kind = random.next();
  if (kind < 0.5) server.write(random.pick(names));
  else if (kind < 0.7) server.remove(random.pick(names));
  else if (kind < 0.9) server.catchUp();
  else if (kind < 0.95) server.compact();
  else if (kind < 0.97) server.restartReplica();
  else if (kind < 0.985) server.poison(random.pick(names));
  else for (let i = 0; i < 10; i++) server.write(random.pick(names));
}

/** Every broken promise is remembered, whatever the reflector makes of the exception. */
function guardedStore(store: CheckingStore, violations: string[]): CheckingStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        try {
          return value.apply(target, args);
        } catch (error) {
          if (error instanceof Violation) violations.push(error.message);
          throw error;
        }
      };
    },
  });
}

/** A line and a counter for what a reflector says. */
export function observe(trace: Trace, report: ReflectorReport): void {
  const words = [report.type as string];
  if ('kind' in report) words.push(report.kind);
  if ('resume' in report) words.push(report.resume);
  if ('isRemembered' in report && report.isRemembered) words.push('remembered');
  if (report.type === 'rejected') words.push(report.rejected.reason);
  trace.line(`report ${words.join(' ')}`);
  trace.count(`path ${words.join(' ')}`);
}

function isOlder(history: History, version: string, than: string): boolean {
  return than !== '' && history.revisionOf(version) < history.revisionOf(than);
}

/**
 * Nobody is hammered: a watch follows a watch after a pause, and a list follows a list after a pause, except that one list
 * may be asked for again at once (at the most recent version), and each of the two once more in one piece.
 */
function hammering({ requests }: ApiServer): string[] {
  const lists = requests.filter(({ kind }) => kind === 'list');
  const violations: string[] = [];
  requests.forEach(({ kind, atMs }, index) => {
    const before = requests[index - 1];
    if (kind === 'watch' && before?.kind === 'watch' && atMs - before.atMs < MIN_PAUSE_MS) {
      violations.push(`two watches at ${before.atMs} and ${atMs}`);
    }
  });
  lists.forEach(({ atMs }, index) => {
    const before = lists[index - 4];
    if (before !== undefined && atMs - before.atMs < MIN_PAUSE_MS) violations.push(`five lists by ${atMs}`);
  });
  return violations;
}
