import { MessageChannel } from 'node:worker_threads';
import type { Credentials } from '../auth/credentials.js';
import type { ElectionOptions } from '../lease/election-types.js';
import { OwnerMemory } from '../lease/leadership-memory.js';
import { LEASE_METHODS, type Lease, type LeaseName } from '../lease/lease.js';
import type { LeasePort, LeaseRequest } from '../lease/lease-messages.js';
import { errorFromWire } from '../pool/error-from-wire.js';
import { engineClosed } from '../pool/stream-host.js';
import { RestartBackoff, type RestartBackoffOptions } from '../pool/worker-death.js';
import { processTime, systemClock } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import type { RestClientMetrics } from '../util/rest-client-metrics.js';
import type { ConnectionSettings } from '../wire/connection-settings.js';
import { HeldLease, type HeldLeaseListener } from './held-lease.js';
import type { LeaseRunner } from './lease-runner.js';

/** How often the main thread shows that its event loop turns, and looks whether terms have ended. */
const TICK_MS = 200;
/** How often credentials are read again while a Lease is held: a token file may have been replaced. */
const CREDENTIALS_MS = 10_000;
/** After credentials could not be read. */
const CREDENTIALS_RETRY_MS = 1000;
const REQUEST_TIMEOUT_MS = 10_000;

export interface LeaseServiceOptions {
  readonly credentials: Pick<Credentials, 'current' | 'renewed' | 'accepted'>;
  readonly run: (onGone: (cause: unknown) => void) => LeaseRunner;
  readonly restartBackoff?: RestartBackoffOptions;
  readonly requests: RestClientMetrics;
  /** Receives errors that no single Lease has: of the thread, of the credentials. */
  readonly onProblem: (error: KubeflectError) => void;
}

/**
 * The Leases of an engine: any number are held and renewed by one thread of their own, which starts with the first.
 * Its renewals do not wait for the main thread; they end when that has been silent for the renew deadline.
 */
export class LeaseService {
  readonly #options: LeaseServiceOptions;
  readonly #owner = new OwnerMemory();
  readonly #held = new Set<HeldLease>();
  readonly #backoff: RestartBackoff;
  #runner: { readonly runner: LeaseRunner; readonly startedAtMs: number } | undefined;
  #connection: ConnectionSettings | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshAtMs = 0;
  #tick: { cancel(): void } | undefined;
  #restart: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(options: LeaseServiceOptions) {
    this.#options = options;
    this.#backoff = new RestartBackoff(options.restartBackoff);
  }

  /** Rejects with `ApiStatusError` or `TransportError`, as the other requests do. */
  async get(name: LeaseName): Promise<Lease> {
    return this.#requestLease({ verb: 'get', ...name });
  }

  async create(lease: Lease): Promise<Lease> {
    const { namespace, name } = lease.metadata;
    return this.#requestLease({ verb: 'create', namespace, name, lease });
  }

  /** Replaces the version that `lease` has. */
  async update(lease: Lease): Promise<Lease> {
    const { namespace, name } = lease.metadata;
    return this.#requestLease({ verb: 'update', namespace, name, lease });
  }

  async delete(
    name: LeaseName,
    preconditions: NonNullable<LeaseRequest['preconditions']> = {},
  ): Promise<void> {
    await this.#request({ verb: 'delete', ...name, preconditions });
  }

  /** Competes for a Lease, and renews it while it is held. Throws `KUBEFLECT_ENGINE_CLOSED`. */
  hold(options: ElectionOptions, listener: HeldLeaseListener): HeldLease {
    if (this.#isClosed) throw engineClosed();
    const lease = new HeldLease(options, listener, {
      onUnauthorized: () => this.#refresh(true),
      onAccepted: () => this.#connection && this.#options.credentials.accepted(this.#connection),
      onRequested: (verb, code) => this.#count(verb, this.#connection, code),
      onEnded: (ended) => this.#forget(ended),
    });
    this.#held.add(lease);
    this.#see();
    if (this.#connection === undefined) this.#refresh(false);
    else this.#connect(lease);
    return lease;
  }

  /** Ends all terms, and leaves the Leases to expire. Resolves when the thread has ended. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const lease of [...this.#held]) lease.abandon();
    this.#tick?.cancel();
    this.#restart?.cancel();
    const current = this.#runner;
    this.#runner = undefined;
    await current?.runner.end();
  }

  async #requestLease(spec: Omit<LeaseRequest, 'connection' | 'timeoutMs'>): Promise<Lease> {
    const lease = await this.#request(spec);
    if (lease === undefined) throw new Error('a response without a Lease: this is a bug in lease-service.ts');
    return lease;
  }

  async #request(spec: Omit<LeaseRequest, 'connection' | 'timeoutMs'>): Promise<Lease | undefined> {
    const { credentials } = this.#options;
    let connection = await credentials.current();
    for (let attempt = 0; ; attempt++) {
      if (this.#isClosed) throw engineClosed();
      const { runner } = this.#running();
      const reply = await runner.request({ ...spec, connection, timeoutMs: REQUEST_TIMEOUT_MS });
      this.#count(spec.verb, connection, reply.code);
      if (reply.type === 'ok') {
        credentials.accepted(connection);
        return reply.lease;
      }
      const isUnauthorized = reply.error.type === 'status' && reply.error.status.code === 401;
      const others = isUnauthorized && attempt === 0 ? await credentials.renewed(connection) : undefined;
      if (others === undefined) throw errorFromWire(reply.error);
      connection = others;
    }
  }

  #count(
    verb: LeaseRequest['verb'],
    connection: ConnectionSettings | undefined,
    code: number | undefined,
  ): void {
    if (connection === undefined) return;
    this.#options.requests.count(LEASE_METHODS[verb], connection.server, code);
  }

  #running(): { readonly runner: LeaseRunner; readonly startedAtMs: number } {
    if (this.#runner !== undefined) return this.#runner;
    const started = {
      runner: this.#options.run((cause) => this.#onGone(started.runner, cause)),
      startedAtMs: processTime(),
    };
    this.#runner = started;
    return started;
  }

  #connect(lease: HeldLease): void {
    const connection = this.#connection;
    if (connection === undefined || this.#restart !== undefined) return;
    let runner: LeaseRunner;
    try {
      ({ runner } = this.#running());
    } catch (cause) {
      this.#lost(cause, 0);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    const shared = { connection, ownerMemory: this.#owner.cells };
    const task = lease.connect(port1 as unknown as LeasePort, port2 as unknown as LeasePort, shared);
    runner.hold(task).catch((cause: unknown) => this.#onGone(runner, cause));
  }

  #onGone(runner: LeaseRunner, cause: unknown): void {
    const current = this.#runner;
    if (current?.runner !== runner) return;
    this.#runner = undefined;
    void runner.end();
    this.#lost(cause, processTime() - current.startedAtMs);
  }

  /** The terms end; another thread competes anew, with backoff. */
  #lost(cause: unknown, ranMs: number): void {
    for (const lease of [...this.#held]) lease.disconnect();
    if (this.#isClosed) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the thread that renews Leases was lost: ${reason}; another one is started`;
    this.#options.onProblem(new KubeflectError('KUBEFLECT_LEASE_FAILED', message, { cause }));
    this.#restart?.cancel();
    this.#restart = systemClock.schedule(() => {
      this.#restart = undefined;
      for (const lease of this.#held) this.#connect(lease);
    }, this.#backoff.next(ranMs));
  }

  #forget(lease: HeldLease): void {
    this.#held.delete(lease);
    if (this.#held.size > 0) return;
    this.#tick?.cancel();
    this.#tick = undefined;
  }

  /** While there are Leases: shows that the event loop turns. */
  #see(): void {
    this.#owner.see(processTime());
    this.#tick?.cancel();
    if (this.#held.size === 0) return;
    for (const lease of this.#held) lease.check();
    this.#runner?.runner.checkHeartbeat();
    if (processTime() >= this.#refreshAtMs) this.#refresh(false);
    this.#tick = systemClock.schedule(() => this.#see(), TICK_MS);
  }

  #refresh(isUnauthorized: boolean): void {
    this.#refreshing ??= this.#readCredentials(isUnauthorized).finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #readCredentials(isUnauthorized: boolean): Promise<void> {
    const { credentials } = this.#options;
    const before = this.#connection;
    this.#refreshAtMs = processTime() + CREDENTIALS_MS;
    try {
      const isRejected = isUnauthorized && before !== undefined;
      const connection = isRejected ? await credentials.renewed(before) : await credentials.current();
      if (connection === undefined || connection === before || this.#isClosed) return;
      this.#connection = connection;
      for (const lease of [...this.#held]) {
        if (before === undefined) this.#connect(lease);
        else lease.renewWith(connection);
      }
    } catch (error) {
      this.#refreshAtMs = processTime() + CREDENTIALS_RETRY_MS;
      this.#options.onProblem(asKubeflectError(error));
    }
  }
}

function asKubeflectError(cause: unknown): KubeflectError {
  if (cause instanceof KubeflectError) return cause;
  return new KubeflectError('KUBEFLECT_LEASE_FAILED', 'the credentials for Leases could not be read', {
    cause,
  });
}
