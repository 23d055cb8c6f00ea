import { Election } from '../../src/lease/election.js';
import type {
  ElectionEffect,
  ElectionInput,
  Instant,
  LeaseResult,
  LeaseVerb,
} from '../../src/lease/election-types.js';
import { OwnerMemory, TermMemory } from '../../src/lease/leadership-memory.js';
import type { FromLeaseThread, LeaseTask, ToLeaseThread } from '../../src/lease/lease-messages.js';
import { processTime, systemRandom, systemWallTime } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { LeaseClient } from './lease-client.js';

/** The clocks are looked at so often even if nothing is due: a wall clock has no timers. */
const MAX_SLEEP_MS = 500;

/** Runs one election: its effects become requests, messages, and cells of shared memory. */
export class LeaseSession {
  readonly #task: LeaseTask;
  readonly #client: LeaseClient;
  readonly #election: Election;
  readonly #term: TermMemory;
  readonly #owner: OwnerMemory;
  readonly #requests = new Map<number, AbortController>();
  #connection: ConnectionSettings;
  #timer: NodeJS.Timeout | undefined;
  /** A request with these credentials has succeeded. */
  #isAccepted = false;
  /** Whose last request failed: reads may succeed where writes are forbidden. */
  readonly #failing = new Set<LeaseVerb>();
  #finish: () => void = () => {};

  constructor(task: LeaseTask, client: LeaseClient) {
    this.#task = task;
    this.#client = client;
    this.#connection = task.connection;
    this.#election = new Election(task.election, systemRandom, task.terms);
    this.#term = new TermMemory(task.termMemory);
    this.#owner = new OwnerMemory(task.ownerMemory);
  }

  /** Resolves when the election has ended. */
  async run(): Promise<void> {
    const { port } = this.#task;
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    port.on('message', (message: ToLeaseThread) => this.#onMessage(message));
    // The owner is gone: an end without a release.
    port.on('close', () => this.#step({ type: 'abandon' }));
    this.#step({ type: 'tick' });
    await finished;
    clearTimeout(this.#timer);
    for (const request of this.#requests.values()) request.abort();
    port.close();
  }

  #onMessage(message: ToLeaseThread): void {
    if (message.type !== 'connection') {
      this.#step(message);
      return;
    }
    this.#connection = message.connection;
    const isRetry = !this.#isAccepted || this.#failing.size > 0;
    this.#isAccepted = false;
    if (isRetry) this.#step({ type: 'retry' });
  }

  #step(input: ElectionInput): void {
    if (this.#election.isEnded) return;
    for (const effect of this.#election.step(input, this.#instant())) this.#perform(effect);
    this.#arm();
  }

  #instant(): Instant {
    return { nowMs: processTime(), wallMs: systemWallTime(), ownerSeenMs: this.#owner.seenMs };
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#election.isEnded) return;
    const delayMs = Math.min(Math.max(0, this.#election.wakeAtMs - processTime()), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => this.#step({ type: 'tick' }), Math.ceil(delayMs));
  }

  #perform(effect: ElectionEffect): void {
    switch (effect.type) {
      case 'request':
        void this.#request(effect);
        return;
      case 'abort':
        this.#requests.get(effect.id)?.abort();
        this.#requests.delete(effect.id);
        return;
      case 'leading':
        this.#term.begin(effect.term, effect.deadlineMs, effect.wallDeadlineMs);
        this.#post({ type: 'leading', term: effect.term, transitions: effect.transitions });
        return;
      case 'renewed':
        this.#term.prolong(effect.deadlineMs, effect.wallDeadlineMs);
        return;
      case 'lost':
        this.#term.end(effect.reason);
        this.#post(effect);
        return;
      case 'slow-path':
        this.#term.count('slowPaths');
        return;
      case 'failed':
        this.#failing.add(effect.verb);
        this.#term.count('failures');
        this.#post(effect);
        return;
      case 'observed':
        this.#post(effect);
        return;
      case 'ended':
        this.#post(effect);
        this.#finish();
    }
  }

  async #request({ id, verb, lease }: Extract<ElectionEffect, { type: 'request' }>): Promise<void> {
    const { namespace, name, renewDeadlineMs } = this.#task.election;
    const abort = new AbortController();
    this.#requests.set(id, abort);
    const spec = { verb, namespace, name, ...(lease && { lease }) };
    // The election ends its requests itself, earlier.
    const options = { connection: this.#connection, timeoutMs: renewDeadlineMs };
    const reply = await this.#client.send(spec, options, abort.signal);
    this.#post({ type: 'requested', verb, code: reply.code });
    if (!this.#requests.delete(id)) return;
    if (reply.type === 'ok') this.#succeeded(verb);
    this.#step({ type: 'response', id, result: reply as LeaseResult });
  }

  #succeeded(verb: LeaseVerb): void {
    if (verb !== 'get') this.#term.count('writes');
    const hasRecovered = this.#failing.delete(verb);
    if (this.#isAccepted && !hasRecovered) return;
    this.#isAccepted = true;
    this.#post({ type: 'accepted' });
  }

  #post(message: FromLeaseThread): void {
    this.#task.port.postMessage(message);
  }
}
