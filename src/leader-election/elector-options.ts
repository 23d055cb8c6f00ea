import { hostname } from 'node:os';
import type { LeadershipTerm } from '../lease/leadership.js';
import {
  callback,
  duration,
  flag,
  invalidOption,
  object,
  type Rule,
  type Rules,
  required,
  resolveOptions,
  string,
} from '../util/check-options.js';
import { systemId, systemWallTime } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { LeaseService } from './lease-service.js';

/** The part of an `Engine` that an elector uses. */
export interface ElectorEngine {
  readonly leases: LeaseService;
  readonly metrics: Metrics;
}

export interface LeaderElectorOptions {
  /** Its credentials are used, which must allow to `get`, `create` and `update` the Lease. */
  readonly engine: ElectorEngine;
  /** Of the Lease: the same for all candidates. */
  readonly name: string;
  /** Of the Lease. */
  readonly namespace: string;
  /** Who is the leader, for people and other candidates. Must be unique. @default host name and a random id */
  readonly identity?: string;
  /**
   * Others may take the Lease when they have seen it unchanged for so long. Whole seconds: a Lease has no others.
   * @default 15_000
   */
  readonly leaseDurationMs?: number;
  /**
   * The term ends so long after the last successful renewal was sent. Less than `leaseDurationMs`; the difference is
   * what clocks may differ in rate. @default 10_000
   */
  readonly renewDeadlineMs?: number;
  /** Time between renewals, and about the time between attempts to acquire. @default 2000 */
  readonly retryPeriodMs?: number;
  /** `stop` gives the Lease back, so that another candidate can be the leader at once. @default true */
  readonly releaseOnStop?: boolean;
  /** Of the Lease, if it has to be created. @default none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Called when a term begins. */
  readonly onStartedLeading?: (term: LeadershipTerm) => void;
  /** Called when a term has ended; its signal has been aborted. The elector goes on competing, unless it was stopped. */
  readonly onStoppedLeading?: (term: LeadershipTerm) => void;
  /** Called when another holder is seen, or this one; with an empty string if the Lease has no holder. */
  readonly onNewLeader?: (identity: string) => void;
  /**
   * Receives non-fatal errors: requests that fail, once for each reason, and terms that were lost.
   * @default a process warning, at most one per second
   */
  readonly onError?: (error: KubeflectError) => void;
  /** @default the engine's */
  readonly metrics?: Metrics;
}

type WithoutDefault =
  | 'labels'
  | 'onStartedLeading'
  | 'onStoppedLeading'
  | 'onNewLeader'
  | 'onError'
  | 'metrics';

export type ResolvedElectorOptions = Required<Omit<LeaderElectorOptions, WithoutDefault>> & {
  readonly [K in WithoutDefault]: LeaderElectorOptions[K] | undefined;
};

/** Attempts to renew must fit into the renew deadline: client-go's factor. */
const JITTER_FACTOR = 1.2;

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const engine = required<ElectorEngine>({
  fallback: () => undefined,
  expected: 'an Engine',
  accepts: (value) => typeof value === 'object' && value !== null && 'leases' in value,
});

const RULES: Rules<ResolvedElectorOptions> = {
  engine,
  name: required(string(undefined, DNS_SUBDOMAIN, 'the name of a Lease')),
  namespace: required(string(undefined, DNS_LABEL, 'the name of a namespace')),
  identity: {
    ...string(undefined, /^.{1,253}$/s, 'a string of 1 to 253 characters'),
    fallback: () => `${hostname()}_${systemId()}`,
  } as Rule<string>,
  leaseDurationMs: duration(15_000, 1000),
  renewDeadlineMs: duration(10_000, 1),
  retryPeriodMs: duration(2000, 1),
  releaseOnStop: flag(true),
  labels: object('an object of labels'),
  onStartedLeading: callback(),
  onStoppedLeading: callback(),
  onNewLeader: callback(),
  onError: callback(),
  metrics: object('a Metrics'),
};

const OWNER = 'LeaderElector';

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveElectorOptions(options: LeaderElectorOptions): ResolvedElectorOptions {
  const resolved = resolveOptions<ResolvedElectorOptions>(OWNER, RULES, options);
  checkTimes(resolved);
  return resolved;
}

function checkTimes({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ResolvedElectorOptions): void {
  if (leaseDurationMs % 1000 !== 0) {
    throw invalidOption(OWNER, `leaseDurationMs must be whole seconds, got ${leaseDurationMs}`);
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    throw invalidOption(
      OWNER,
      `leaseDurationMs must be greater than renewDeadlineMs, got ${leaseDurationMs} and ${renewDeadlineMs}`,
    );
  }
  if (renewDeadlineMs <= JITTER_FACTOR * retryPeriodMs) {
    throw invalidOption(
      OWNER,
      `renewDeadlineMs must be greater than ${JITTER_FACTOR} times retryPeriodMs, ` +
        `got ${renewDeadlineMs} and ${retryPeriodMs}`,
    );
  }
  const wallMs = systemWallTime();
  if (!(wallMs > 0 && wallMs < MAX_WALL_MS)) {
    throw invalidOption(OWNER, 'the clock of the system shows no time between 1970 and 9999');
  }
}

/** The first millisecond of the year 10000, which a timestamp cannot have. */
const MAX_WALL_MS = 253_402_300_800_000;
