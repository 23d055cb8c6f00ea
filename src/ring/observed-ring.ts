import type { SharedInformer } from '../informer/shared-informer.js';
import { LEASE_API_VERSION } from '../lease/lease.js';
import type { Entry } from '../store/entry.js';
import { processTime } from '../util/clock.js';
import { RING_LABEL, type RingLease, type RingName, readRingLease } from './ring-lease.js';
import type { MemberView, RingView, ShardView } from './ring-view.js';

/** The part of an engine that watches Leases. */
export interface LeaseInformers {
  informer(options: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly plural: string;
    readonly namespace: string;
    readonly labelSelector: string;
    readonly name: string;
  }): SharedInformer;
}

/** The Leases of a ring as an informer sees them, and when each of them has last changed. */
export class ObservedRing {
  readonly #ring: RingName;
  readonly #informer: SharedInformer;
  readonly #members = new Map<string, MemberView>();
  readonly #shards = new Map<number, ShardView>();
  readonly #sizes = new Map<string, number>();
  readonly #onChange: () => void;
  #hasSynced = false;

  constructor(engine: LeaseInformers, ring: RingName, onChange: () => void) {
    this.#ring = ring;
    this.#onChange = onChange;
    this.#informer = engine.informer({
      apiVersion: LEASE_API_VERSION,
      kind: 'Lease',
      plural: 'leases',
      namespace: ring.namespace,
      labelSelector: `${RING_LABEL}=${ring.name}`,
      name: `ring ${ring.name}`,
    });
  }

  start(): void {
    const registration = this.#informer.addEventHandler(
      {
        onAdd: (entry) => this.#see(entry),
        onUpdate: (_, entry, { isResync }) => {
          if (!isResync) this.#see(entry);
        },
        onDelete: (entry) => this.#forget(entry),
      },
      { name: `ring ${this.#ring.name}` },
    );
    this.#informer.start();
    // Not the informer's: its cache is complete before the handler has been told everything.
    registration.synced.then(
      () => {
        this.#hasSynced = true;
        this.#onChange();
      },
      () => {},
    );
  }

  /** Undefined before all Leases were read once. */
  get view(): RingView | undefined {
    return this.#hasSynced ? { members: this.#members, shards: this.#shards } : undefined;
  }

  /** Of members that divide the ring into another number of shards, the one with the first id. */
  get other(): { readonly id: string; readonly shards: number } | undefined {
    return [...this.#sizes]
      .filter(([id, shards]) => shards !== this.#ring.shards && this.#members.get(id)?.holder === id)
      .map(([id, shards]) => ({ id, shards }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))[0];
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  #see(entry: Entry): void {
    const lease = readRingLease(entry.object);
    if (lease?.type === 'shard') this.#shards.set(lease.shard, lease.view);
    else if (lease !== undefined) this.#seeMember(lease);
    this.#onChange();
  }

  #seeMember({ view, shards }: Extract<RingLease, { type: 'member' }>): void {
    this.#members.set(view.id, { ...view, seenAtMs: processTime() });
    this.#sizes.set(view.id, shards);
  }

  #forget(entry: Entry): void {
    const lease = readRingLease(entry.object);
    if (lease?.type === 'shard') this.#shards.delete(lease.shard);
    else if (lease !== undefined) {
      this.#members.delete(lease.view.id);
      this.#sizes.delete(lease.view.id);
    }
    this.#onChange();
  }
}
