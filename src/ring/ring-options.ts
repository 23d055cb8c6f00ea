import { hostname } from 'node:os';
import type { LeaseService } from '../leader-election/lease-service.js';
import {
  callback,
  duration,
  integer,
  invalidOption,
  type Rules,
  required,
  resolveOptions,
  string,
} from '../util/check-options.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { LeaseInformers } from './observed-ring.js';

/** The part of an `Engine` that a ring uses. */
export interface RingEngine extends LeaseInformers {
  readonly leases: LeaseService;
  readonly metrics: Metrics;
}

export interface ShardRingOptions {
  /** Its credentials must allow to `get`, `list`, `watch`, `create`, `update` and `delete` Leases of the namespace. */
  readonly engine: RingEngine;
  /** The same for all replicas of a program: a prefix of the names of Leases. */
  readonly name: string;
  /** Of the Leases. */
  readonly namespace: string;
  /**
   * Into how many shards collections are divided: a power of two, the same for all replicas, and fixed for as long as
   * the ring lives. 64 for up to 8 replicas, 128 for up to 16: more terms make URLs longer than servers accept.
   * @default 64
   */
  readonly shards?: number;
  /** Names this process in its Lease, before a random part. @default the host name */
  readonly identity?: string;
  /** A member whose Lease was seen unchanged for so long loses its shards. Whole seconds. @default 10_000 */
  readonly leaseDurationMs?: number;
  /** A member owns nothing any more so long after its last successful renewal was sent. @default 7000 */
  readonly renewDeadlineMs?: number;
  /** @default 2000 */
  readonly renewPeriodMs?: number;
  /** Receives non-fatal errors. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
}

export type ResolvedRingOptions = Required<Omit<ShardRingOptions, 'onError'>> &
  Pick<ShardRingOptions, 'onError'>;

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_SHARDS = 1024;

const engine = required<RingEngine>({
  fallback: () => undefined,
  expected: 'an Engine',
  accepts: (value) => typeof value === 'object' && value !== null && 'leases' in value && 'informer' in value,
});

const RULES: Rules<ResolvedRingOptions> = {
  engine,
  name: required(string(undefined, NAME, 'a name of at most 63 lower-case letters, digits and dashes')),
  namespace: required(string(undefined, NAME, 'the name of a namespace')),
  shards: {
    ...integer(64, 1, MAX_SHARDS),
    expected: `a power of two of at most ${MAX_SHARDS}`,
    accepts: (value) =>
      Number.isSafeInteger(value) && isPowerOfTwo(Number(value)) && Number(value) <= MAX_SHARDS,
  },
  identity: {
    ...string(undefined, NAME, 'a name of at most 63 lower-case letters, digits and dashes'),
    fallback: hostIdentity,
  },
  leaseDurationMs: duration(10_000, 1000),
  renewDeadlineMs: duration(7000, 1),
  renewPeriodMs: duration(2000, 1),
  onError: callback(),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveRingOptions(options: ShardRingOptions): ResolvedRingOptions {
  const resolved = resolveOptions<ResolvedRingOptions>('ShardRing', RULES, options);
  const { leaseDurationMs, renewDeadlineMs, renewPeriodMs } = resolved;
  if (leaseDurationMs % 1000 !== 0) throw invalidOption('ShardRing', 'leaseDurationMs must be whole seconds');
  if (leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= renewPeriodMs) {
    throw invalidOption(
      'ShardRing',
      'leaseDurationMs must be more than renewDeadlineMs, and that more than renewPeriodMs',
    );
  }
  return resolved;
}

function isPowerOfTwo(value: number): boolean {
  return value > 0 && (value & (value - 1)) === 0;
}

function hostIdentity(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/[^-a-z0-9]/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63);
  return name.replace(/-+$/, '') || 'member';
}
