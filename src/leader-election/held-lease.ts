import type { ElectionEnd, ElectionOptions, LeaseVerb } from '../lease/election-types.js';
import { type LeaseCounter, TermMemory } from '../lease/leadership-memory.js';
import type { FromLeaseThread, LeasePort, LeaseTask, ToLeaseThread } from '../lease/lease-messages.js';
import type { ConnectionSettings } from '../wire/connection-settings.js';
import type { WireError } from '../wire/messages.js';
import { Term, type TermEnd } from './term.js';

/** None of them may throw. */
export interface HeldLeaseListener {
  onTerm(term: Term): void;
  onTermEnd(term: Term, reason: TermEnd): void;
  /** The Lease has another holder; empty if it has none. */
  onHolder(holder: string, transitions: number): void;
  onFailed(verb: LeaseVerb, error: WireError): void;
  /** Requests succeed again. */
  onAccepted(): void;
  /** Called once, last. */
  onEnded(reason: ElectionEnd): void;
  /** See `LeadershipTerm.begin`. */
  onWork(): () => void;
}

/** What the service does for a Lease. */
export interface HeldLeaseHost {
  onUnauthorized(): void;
  onAccepted(): void;
  onRequested(verb: LeaseVerb, code: number | undefined): void;
  onEnded(lease: HeldLease): void;
}

/** The main thread's end of one election. It outlives the threads that it runs on. */
export class HeldLease {
  readonly options: ElectionOptions;
  readonly #listener: HeldLeaseListener;
  readonly #host: HeldLeaseHost;
  #memory = new TermMemory();
  #port: LeasePort | undefined;
  #term: Term | undefined;
  #terms = 0;
  #isReleasing = false;
  #annotations: ElectionOptions['annotations'];
  #end: ElectionEnd | undefined;
  #onEnd: (reason: ElectionEnd) => void = () => {};
  readonly #ended: Promise<ElectionEnd>;

  constructor(options: ElectionOptions, listener: HeldLeaseListener, host: HeldLeaseHost) {
    this.options = options;
    this.#annotations = options.annotations;
    this.#listener = listener;
    this.#host = host;
    this.#ended = new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  /** Looks at the clocks. */
  get term(): Term | undefined {
    return this.#term?.isCurrent === true ? this.#term : undefined;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Ends the current term here; the Lease is still renewed, until `release` or `abandon`. */
  endTerm(): void {
    this.#isReleasing = true;
    this.#term?.end('stopped');
  }

  /** Replaces the annotations that are written, and writes them at once if the Lease is held. */
  annotate(annotations: Readonly<Record<string, string>>): void {
    this.#annotations = annotations;
    this.#post({ type: 'annotate', annotations });
  }

  /** Ends the term, and gives the Lease back. Resolves when that is done, or could not be done. */
  release(): Promise<ElectionEnd> {
    this.endTerm();
    if (this.#port === undefined) this.#finish('abandoned');
    this.#post({ type: 'release' });
    return this.#ended;
  }

  /** Ends the term, and leaves the Lease to expire. */
  abandon(): void {
    this.endTerm();
    this.#post({ type: 'abandon' });
    this.#finish('abandoned');
  }

  counted(counter: LeaseCounter): number {
    return this.#memory.counted(counter);
  }

  // The rest is for the service.

  /** The task of a thread, which has the other end of the port. */
  connect(
    port: LeasePort,
    remote: LeasePort,
    shared: Pick<LeaseTask, 'connection' | 'ownerMemory'>,
  ): LeaseTask {
    this.#port = port;
    port.on('message', (message: FromLeaseThread) => {
      if (this.#port === port) this.#receive(message);
    });
    const annotations = this.#annotations;
    const election = { ...this.options, ...(annotations && { annotations }) };
    return { election, terms: this.#terms, termMemory: this.#memory.cells, port: remote, ...shared };
  }

  /** The thread is gone. */
  disconnect(): void {
    this.#port?.close();
    this.#port = undefined;
    // The thread may still write to the former memory.
    this.#memory = this.#memory.successor();
    this.#term?.end('thread-lost');
    if (this.#isReleasing) this.#finish('abandoned');
  }

  renewWith(connection: ConnectionSettings): void {
    this.#post({ type: 'connection', connection });
  }

  /** Must be called regularly: ends a term whose deadline has passed. */
  check(): void {
    this.#term?.check();
  }

  #receive(message: FromLeaseThread): void {
    switch (message.type) {
      case 'leading':
        this.#begin(message.term, message.transitions);
        return;
      case 'lost':
        if (this.#term?.number === message.term) this.#term.end(message.reason);
        return;
      case 'observed':
        this.#listener.onHolder(message.holder, message.transitions);
        return;
      case 'failed':
        if (isUnauthorized(message.error)) this.#host.onUnauthorized();
        this.#listener.onFailed(message.verb, message.error);
        return;
      case 'accepted':
        this.#host.onAccepted();
        this.#listener.onAccepted();
        return;
      case 'requested':
        this.#host.onRequested(message.verb, message.code);
        return;
      case 'ended':
        this.#finish(message.reason);
    }
  }

  #begin(number: number, transitions: number): void {
    this.#terms = number;
    this.#term?.end('deadline');
    // While it is being released, the Lease protects what is still running, and nothing new begins.
    if (this.#isReleasing) return;
    const { namespace, name } = this.options;
    const term = new Term({
      number,
      transitions,
      memory: this.#memory,
      leaseName: `${namespace}/${name}`,
      onEnd: (ended, reason) => this.#onTermEnd(ended, reason),
      onWork: () => this.#listener.onWork(),
    });
    this.#term = term;
    // It may be over already, if this thread was blocked.
    if (term.isCurrent) this.#listener.onTerm(term);
  }

  #onTermEnd(term: Term, reason: TermEnd): void {
    this.#term = undefined;
    if (reason !== 'stopped') this.#post({ type: 'yield', term: term.number });
    this.#listener.onTermEnd(term, reason);
  }

  #post(message: ToLeaseThread): void {
    this.#port?.postMessage(message);
  }

  #finish(reason: ElectionEnd): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#term?.end('stopped');
    this.#port?.close();
    this.#port = undefined;
    this.#onEnd(reason);
    this.#host.onEnded(this);
    this.#listener.onEnded(reason);
  }
}

function isUnauthorized(error: WireError): boolean {
  return error.type === 'status' && error.status.code === 401;
}
