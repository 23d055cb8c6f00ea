import type { LocalPort, StreamChannel } from '#dist/src/pool/stream-handle.js';
import type { FromWorker, StreamPort, ToWorker } from '#dist/src/wire/messages.js';
import type { EngineContext } from './engine-schedule.js';

/** The worker's end of a channel, with what the simulated thread controls. */
export interface RemotePort extends StreamPort {
  /** The thread has died: a prefix of its messages still arrives, then the other end is notified of the close. */
  die(isPrefixCut: boolean): void;
  /** Called before a message is posted; returns true to drop it. */
  onPost: ((message: FromWorker) => boolean) | undefined;
}

type Listener = (message: never) => void;

/** Two ports in one thread: messages are cloned and transferred as between threads, and arrive in order with a delay. */
export function openSimChannel(context: EngineContext): StreamChannel {
  const local = new SimPort(context);
  const remote = new SimPort(context);
  local.other = remote;
  remote.other = local;
  return { local, remote };
}

class SimPort implements LocalPort, RemotePort {
  readonly #context: EngineContext;
  readonly #listeners = new Map<string, Listener[]>();
  /** Messages that have not been delivered to the listeners. */
  #inbox: unknown[] = [];
  #isClosed = false;
  #isCloseDue = false;
  #isDead = false;
  #timer: { cancel(): void } | undefined;
  /** The last batch that was posted here. */
  #previous: object | undefined;
  other: SimPort | undefined;
  onPost: ((message: FromWorker) => boolean) | undefined;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  postMessage(message: FromWorker | ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#isClosed || this.#isDead) return;
    if (this.onPost?.(message as FromWorker) === true) return;
    const clone: unknown = structuredClone(message, { transfer: [...transfer] });
    const { faults, random, trace } = this.#context;
    this.other?.arrive(clone);
    if (message.type !== 'batch') return;
    const { epoch, sequence, buffer } = clone as Extract<FromWorker, { type: 'batch' }>;
    trace.line(`batch ${epoch}.${sequence}`);
    const repetition = { ...message, buffer: buffer.slice(0) };
    // This batch, or the previous one.
    if (faults.strikes('message-repeated'))
      this.other?.arrive(this.#previous !== undefined && random.chance(0.5) ? this.#previous : repetition);
    this.#previous = repetition;
    if (faults.strikes('message-of-another-epoch')) {
      this.other?.arrive({ ...message, epoch: epoch - 1, buffer: buffer.slice(0) });
    }
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? [];
    listeners.push(listener);
    this.#listeners.set(event, listeners);
  }

  take(): FromWorker | undefined {
    return this.#inbox.shift() as FromWorker | undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox = [];
    this.other?.otherClosed();
  }

  arrive(message: unknown): void {
    if (this.#isClosed || this.#isDead) return;
    this.#inbox.push(message);
    const batches = this.#inbox.filter((waiting) => (waiting as FromWorker).type === 'batch').length;
    this.#context.noteInFlight(batches);
    this.#deliverLater();
  }

  otherClosed(): void {
    if (this.#isClosed || this.#isDead) return;
    this.#isCloseDue = true;
    this.#deliverLater();
  }

  die(isPrefixCut: boolean): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#timer?.cancel();
    this.#inbox = [];
    if (isPrefixCut) this.other?.loseTail();
    this.other?.otherClosed();
  }

  loseTail(): void {
    this.#inbox.length = this.#context.random.between(0, this.#inbox.length);
  }

  #deliverLater(): void {
    const { clock, faults, random } = this.#context;
    const delayMs = faults.strikes('message-late') ? random.between(1, 2000) : random.next() * 3;
    this.#timer ??= clock.schedule(() => {
      this.#timer = undefined;
      this.#deliver();
    }, delayMs);
  }

  /** Delivers a few at a time, so that other timers run between two messages. */
  #deliver(): void {
    for (let left = this.#context.random.between(1, 4); left > 0 && this.#inbox.length > 0; left--) {
      const message = this.#inbox.shift();
      for (const listener of this.#listeners.get('message') ?? []) listener(message as never);
      if (this.#isClosed || this.#isDead) return;
    }
    if (this.#inbox.length > 0) {
      this.#deliverLater();
    } else if (this.#isCloseDue) {
      this.#isClosed = true;
      for (const listener of this.#listeners.get('close') ?? []) listener(undefined as never);
    }
  }
}
