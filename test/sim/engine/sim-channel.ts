import type { StreamChannel } from '#dist/src/pool/stream-channel.js';
import type { NearPort } from '#dist/src/pool/stream-handle.js';
import type { FromWorker, StreamPort, ToWorker } from '#dist/src/wire/messages.js';
import type { EngineWorld } from './engine-schedule.js';

/** What a thread must know of the ports that it was given. */
export interface FarPort extends StreamPort {
  /** The thread is gone: what it posted may still arrive, up to some message; then the other end is told. */
  die(isPrefixCut: boolean): void;
  /** Called before a message is posted; true if it shall not be. */
  onPost: ((message: FromWorker) => boolean) | undefined;
}

type Listener = (message: never) => void;

/** Two ports in one thread: messages are cloned and transferred for real, arrive in order, and late. */
export function openSimChannel(world: EngineWorld): StreamChannel {
  const near = new SimPort(world);
  const far = new SimPort(world);
  near.other = far;
  far.other = near;
  return { near, far };
}

class SimPort implements NearPort, FarPort {
  readonly #world: EngineWorld;
  readonly #listeners = new Map<string, Listener[]>();
  /** On its way to us. */
  #inbox: unknown[] = [];
  #isClosed = false;
  #isCloseDue = false;
  #isDead = false;
  #timer: { cancel(): void } | undefined;
  /** The last batch that was posted here. */
  #before: object | undefined;
  other: SimPort | undefined;
  onPost: ((message: FromWorker) => boolean) | undefined;

  constructor(world: EngineWorld) {
    this.#world = world;
  }

  postMessage(message: FromWorker | ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#isClosed || this.#isDead) return;
    if (this.onPost?.(message as FromWorker) === true) return;
    const clone: unknown = structuredClone(message, { transfer: [...transfer] });
    const { faults, random, trace } = this.#world;
    this.other?.arrive(clone);
    if (message.type !== 'batch') return;
    const { epoch, sequence, buffer } = clone as Extract<FromWorker, { type: 'batch' }>;
    trace.line(`batch ${epoch}.${sequence}`);
    const repetition = { ...message, buffer: buffer.slice(0) };
    // Itself, or the one before it.
    if (faults.strikes('message-repeated'))
      this.other?.arrive(this.#before !== undefined && random.chance(0.5) ? this.#before : repetition);
    this.#before = repetition;
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
    this.#world.noteInFlight(batches);
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
    this.#inbox.length = this.#world.random.between(0, this.#inbox.length);
  }

  #deliverLater(): void {
    const { clock, faults, random } = this.#world;
    const delayMs = faults.strikes('message-late') ? random.between(1, 2000) : random.next() * 3;
    this.#timer ??= clock.schedule(() => {
      this.#timer = undefined;
      this.#deliver();
    }, delayMs);
  }

  /** A few at a time: between two messages anything may happen. */
  #deliver(): void {
    for (let left = this.#world.random.between(1, 4); left > 0 && this.#inbox.length > 0; left--) {
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
