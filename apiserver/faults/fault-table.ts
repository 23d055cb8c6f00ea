import type { RequestRecord } from '../control/control-protocol.js';
import type { Fault, FaultHit, FaultMatch, FaultSpec, FaultType } from '../control/fault.js';
import { checkFaultSpec } from './fault-validation.js';

type FaultyRequest = Pick<RequestRecord, 'verb' | 'path' | 'query'>;

/** The active faults. Each request looks up once which of them apply to it. */
export class FaultTable {
  readonly #entries = new Map<number, { spec: FaultSpec; seen: number; hits: number; inFlight: number }>();
  #nextId = 1;

  /** Throws a TypeError for an invalid spec. */
  add(spec: FaultSpec): number {
    checkFaultSpec(spec);
    const id = this.#nextId++;
    this.#entries.set(id, { spec, seen: 0, hits: 0, inFlight: 0 });
    return id;
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  hits(): FaultHit[] {
    return [...this.#entries].map(([id, { spec, hits }]) => ({ id, type: spec.fault.type, hits }));
  }

  /** Counts the request against every fault that matches it and returns those that are not used up. */
  take(request: FaultyRequest): FaultPlan {
    const faults: Fault[] = [];
    const ends: (() => void)[] = [];
    for (const entry of this.#entries.values()) {
      if (!matches(entry.spec.match ?? {}, request)) continue;
      const isSkipped = entry.seen++ < (entry.spec.match?.skip ?? 0);
      if (isSkipped || entry.hits >= (entry.spec.count ?? Number.POSITIVE_INFINITY)) continue;
      const { fault } = entry.spec;
      if (fault.type === 'maxInFlight' && entry.inFlight < fault.max) {
        entry.inFlight++;
        ends.push(() => entry.inFlight--);
        continue;
      }
      entry.hits++;
      faults.push(fault);
    }
    return new FaultPlan(faults, ends);
  }
}

/** The faults of one request. */
export class FaultPlan {
  readonly faults: readonly Fault[];
  readonly #ends: (() => void)[];

  constructor(faults: readonly Fault[], ends: (() => void)[] = []) {
    this.faults = faults;
    this.#ends = ends;
  }

  /** The request was answered, or its watch was opened: it is not in flight any more. Idempotent. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  get<T extends FaultType>(type: T): Extract<Fault, { type: T }> | undefined {
    return this.faults.find((fault): fault is Extract<Fault, { type: T }> => fault.type === type);
  }
}

function matches(match: FaultMatch, request: FaultyRequest): boolean {
  if (match.verb !== undefined) {
    const verbs = typeof match.verb === 'string' ? [match.verb] : match.verb;
    if (!verbs.includes(request.verb)) return false;
  }
  for (const [name, value] of Object.entries(match.query ?? {})) {
    if (request.query[name] !== value) return false;
  }
  if (match.path === undefined) return true;
  const isPattern = match.path.length > 2 && match.path.startsWith('/') && match.path.endsWith('/');
  return isPattern
    ? new RegExp(match.path.slice(1, -1)).test(request.path)
    : request.path.startsWith(match.path);
}
