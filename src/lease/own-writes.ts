import type { Random } from '../util/clock.js';
import type { ElectionOptions } from './election-types.js';
import { LEASE_API_VERSION, type Lease, type LeaseSpec, microTime } from './lease.js';

/** Writes whose outcome is unknown may still be applied; older ones have been overtaken by then. */
const MAX_REMEMBERED = 32;

/**
 * What this candidate writes, and which records it wrote. A record is ours only if we wrote it: another process may
 * have the same identity, and a write whose response was lost may have been applied.
 */
export class OwnWrites {
  readonly #options: ElectionOptions;
  readonly #random: Random;
  /** The renew times that were written last, the newest at the end. */
  readonly #renewTimes: string[] = [];
  #uid: string | undefined;

  constructor(options: ElectionOptions, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  /** The Lease with us as its holder. Without `base` it is a new one. */
  held(base: Lease | undefined, wallMs: number, annotations: Readonly<Record<string, string>>): Lease {
    const { identity, leaseDurationMs, name, namespace, labels } = this.#options;
    const renewTime = this.#nextTime(wallMs);
    const { spec = {} } = base ?? {};
    const isHolder = base !== undefined && this.isOwn(base);
    this.#remember(renewTime);
    const changed = {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: isHolder ? (spec.acquireTime ?? renewTime) : renewTime,
      renewTime,
      leaseTransitions: (spec.leaseTransitions ?? 0) + (base === undefined || isHolder ? 0 : 1),
    };
    const metadata = base?.metadata ?? { name, namespace, ...(labels && { labels }) };
    return {
      ...(base ?? { apiVersion: LEASE_API_VERSION, kind: 'Lease' }),
      metadata: withAnnotations(metadata, annotations),
      spec: { ...spec, ...changed },
    } as Lease;
  }

  /** The Lease without a holder, as client-go releases it. */
  released(base: Lease, wallMs: number): Lease {
    const time = this.#nextTime(wallMs);
    const { spec = {} } = base;
    const released: LeaseSpec = {
      ...spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: time,
      renewTime: time,
    };
    return { ...base, spec: released };
  }

  /** The server has accepted a write. */
  accepted({ metadata }: Lease): void {
    this.#uid = metadata.uid;
  }

  isOwn(lease: Lease): boolean {
    const { holderIdentity, renewTime } = lease.spec ?? {};
    if (holderIdentity !== this.#options.identity || renewTime === undefined) return false;
    return this.#renewTimes.includes(normalized(renewTime)) && !this.wasReplaced(lease);
  }

  /** It is not the Lease that we held, but another one of the same name. */
  wasReplaced({ metadata }: Lease): boolean {
    return this.#uid !== undefined && metadata.uid !== this.#uid;
  }

  /** There is no such Lease: the next one is another. */
  forget(): void {
    this.#uid = undefined;
  }

  /** Differs from the last one, whatever the clock does: others take a record that does not change for expired. */
  #nextTime(wallMs: number): string {
    const micros = Math.floor(this.#random() * 1000);
    const time = microTime(wallMs, micros);
    return time === this.#renewTimes.at(-1) ? microTime(wallMs, (micros + 1) % 1000) : time;
  }

  #remember(renewTime: string): void {
    this.#renewTimes.push(renewTime);
    if (this.#renewTimes.length > MAX_REMEMBERED) this.#renewTimes.shift();
  }
}

function withAnnotations(
  metadata: Lease['metadata'] | Readonly<Record<string, unknown>>,
  annotations: Readonly<Record<string, string>>,
): object {
  if (Object.keys(annotations).length === 0) return metadata;
  const { annotations: present } = metadata as Lease['metadata'];
  return { ...metadata, annotations: { ...present, ...annotations } };
}

/** Servers print six digits; a store may have cut trailing zeros. */
function normalized(time: string): string {
  const [, seconds = time, fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return `${seconds}.${fraction.padEnd(6, '0')}Z`;
}
