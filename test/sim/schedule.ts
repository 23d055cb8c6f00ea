import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Reflector } from '#dist/src/reflector/reflector.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { SeededRandom } from '../support/time/seeded-random.js';
import { VirtualClock } from '../support/time/virtual-clock.js';
import { ApiServer, type ReflectorContext, type ServerContext } from './api-server.js';
import { CheckingStore, Violation } from './checking-store.js';
import { FAULTS, Faults } from './faults.js';
import { History } from './history.js';
import { InformerStack } from './informer-stack.js';
import type { Subject } from './subject.js';
import { Trace } from './trace.js';

export interface ScheduleResult {
  readonly seed: number;
  readonly hash: string;
  /** The first violation; undefined if there was none. */
  readonly violation: string | undefined;
  readonly tail: readonly string[];
  readonly counters: ReadonlyMap<string, number>;
}

export interface ScheduleOptions {
  readonly seed: number;
  /** Steps before the faults end. */
  readonly steps: number;
  readonly subject: Subject;
  readonly isPrinted?: boolean;
}

/** Where resource versions start: short, about to gain a digit, about to exceed 2^53, and far beyond. */
export const BASES = [1n, 90n, 99_950n, 2n ** 53n - 40n, 10n ** 20n - 60n];
/**
 * After the faults end, the store must match the server within this time: the longest silent watch (630 s), a backoff
 * (60 s), a stalled list (120 s), a Retry-After (32 s), and another backoff.
 */
export const CONVERGENCE_MS = 1_200_000;
/** Unreadable objects are requested again after one more stream, then two, four, up to 64, of ten minutes each. */
export const REPAIR_MS = 43_200_000;
/** A slow handler takes up to ten seconds for some of its calls, and may be some hundred calls behind. */
export const HANDLERS_MS = 600_000;
/** The reflector's shortest backoff. */
const MIN_PAUSE_MS = 800;

/** Runs the reflector scenario from one seed: a server with writers and faults, a reflector, and a store that checks every call. */
export async function runSchedule(options: ScheduleOptions): Promise<ScheduleResult> {
  const { seed, steps, subject } = options;
  const random = new SeededRandom(seed);
  const clock = new VirtualClock();
  const trace = new Trace(() => clock.now(), options.isPrinted ?? false);
  const faults = new Faults(random, trace, FAULTS);
  const history = new History(random.pick(BASES));
  const context: ReflectorContext = { clock, random, trace, faults, history, subject };
  const server = new ApiServer(context);
  const store = new CheckingStore(context, server);
  const violations: string[] = [];
  trace.line(`seed ${seed} steps ${steps} ${faults.enabled}`);

  const names = Array.from({ length: random.between(3, 14) }, (_, index) => `obj-${index}`);
  for (const name of names) if (random.chance(0.6)) server.write(name);
  // A store that throws is a fault that the reflector must handle; a failed check is not.
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
    report: (report: ReflectorReport) => traceReport(trace, report),
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
  // Half of the runs have an informer behind the checking store, with checking handlers.
  const stack = random.chance(0.5) ? new InformerStack(context, violations) : undefined;
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
      violations.push(`lastSyncResourceVersion decreased from ${lastVersion} to ${version}`);
    }
    lastVersion = version;
  };

  for (let at = 0; at < steps && violations.length === 0; at++) {
    changeCluster(context, server, names);
    if (random.chance(0.01)) stack?.addHandler();
    await clock.advance(random.chance(0.03) ? random.between(1000, 700_000) : random.between(0, 4000));
    check();
  }
  faults.end();
  trace.line('faults end');
  for (const name of [...server.poisoned]) server.write(name);
  server.catchUpAll();
  await converge(context, server, store, stack, violations, check);
  trace.line(`converged at ${store.version}`);
  controller.abort();
  // A slow handler may delay the end of the informer by ten seconds; nothing may delay the end of the reflector.
  await clock.advance(stack === undefined ? 0 : 10_000);
  await running;
  await clock.drain();
  stack?.end();
  if (clock.pendingTimers > 0) violations.push(`${clock.pendingTimers} timers are still pending`);
  violations.push(...requestBursts(server));
  for (const violation of violations) trace.line(`violation ${violation}`);
  return {
    seed,
    hash: trace.digest(),
    violation: violations[0],
    tail: trace.tail,
    counters: trace.counters,
  };
}

/** After the faults and the writes: the store must reach the server's state, and then the informer behind it. */
async function converge(
  { clock }: ReflectorContext,
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
  while (violations.length === 0 && !store.matchesServer) {
    await wait(store.differsOnlyInExempt ? REPAIR_MS : CONVERGENCE_MS, () => store.differences().join(', '));
  }
  sinceMs = clock.now();
  while (violations.length === 0 && stack?.matchesServer === false)
    await wait(HANDLERS_MS, () => 'the informer');
}

/** One step of the cluster: a write, a delete, a replica that catches up or restarts, a compaction. */
export function changeCluster({ random }: ServerContext, server: ApiServer, names: readonly string[]): void {
  const kind = random.next();
  if (kind < 0.5) server.write(random.pick(names));
  else if (kind < 0.7) server.remove(random.pick(names));
  else if (kind < 0.9) server.catchUp();
  else if (kind < 0.95) server.compact();
  else if (kind < 0.97) server.restartReplica();
  else if (kind < 0.985) server.poison(random.pick(names));
  else for (let i = 0; i < 10; i++) server.write(random.pick(names));
}

/** Records every violation, however the reflector handles the exception. */
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

/** Adds a line and a counter for a report of the reflector. */
export function traceReport(trace: Trace, report: ReflectorReport): void {
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
 * Requests without backoff. A watch follows a watch after a backoff, and so does a list a list, except that a list may be
 * repeated at once at the most recent version, and each of the two once more without pages.
 */
function requestBursts({ requests }: ApiServer): string[] {
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
