import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '#dist/src/util/clock.js';
import { HttpSocket } from '../../support/servers/http-socket.js';
import type { EngineContext } from './engine-schedule.js';

export interface SimRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, string>;
}

/** A request and the means to respond. After the signal has aborted nothing has an effect. */
export interface SimExchange {
  readonly request: SimRequest;
  readonly signal: AbortSignal;
  /** Sends bytes of the response, including the head. */
  write(bytes: Uint8Array): void;
  /** The response is complete; the connection stays open. */
  done(): void;
  /** Closes the connection by FIN or RST. */
  close(isReset: boolean): void;
}

export type SimHandler = (exchange: SimExchange) => void;

/** Connections in memory between worker threads and a server; each connection has its own faults. */
export class SimNetwork {
  readonly #context: EngineContext;
  readonly #handler: SimHandler;
  readonly #open = new Set<SimSocket>();

  constructor(context: EngineContext, handler: SimHandler) {
    this.#context = context;
    this.#handler = handler;
  }

  /** Sockets that neither side has closed. */
  get openSockets(): number {
    return this.#open.size;
  }

  connect(clock: Clock): SimSocket {
    const socket = new SimSocket(this.#context, clock, this.#handler);
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  }

  /** The sockets' thread has died: nothing reads from them any more. */
  abandon(sockets: Iterable<SimSocket>): void {
    for (const socket of sockets) {
      socket.abandon();
      this.#open.delete(socket);
    }
  }
}

/** The agents of one thread. */
export class SimAgents {
  readonly sockets: Set<SimSocket> = new Set();
  readonly #agent: Agent = new Agent({ keepAlive: true });
  /** The thread has died; what its code still does has no effect. */
  isGone = false;

  constructor(network: SimNetwork, clock: Clock) {
    this.#agent.createConnection = () => {
      const socket = network.connect(clock);
      if (this.isGone) network.abandon([socket]);
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      return socket as unknown as Socket;
    };
  }

  agentOf(): Agent {
    return this.#agent;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** How many bytes of a sliced connection arrive in slices. */
const SLICED_BYTES = 3000;

/** How a connection ends after a number of bytes from the server. */
interface Fate {
  readonly afterBytes: number;
  readonly end: 'cut' | 'reset' | 'black hole';
}

/** The client's end. */
export class SimSocket extends HttpSocket {
  connecting = true;
  bytesRead = 0;
  readonly #context: EngineContext;
  readonly #clock: Clock;
  readonly #handler: SimHandler;
  readonly #fate: Fate | undefined;
  readonly #sliceBytes: number | undefined;
  readonly #latencyMs: number;
  readonly #isTrickle: boolean;
  #sent = '';
  #waiting: (() => void) | undefined;
  /** On the way to the client. */
  #pending: Uint8Array[] = [];
  #closing: 'cut' | 'reset' | undefined;
  #timer: { cancel(): void } | undefined;
  #answering: AbortController | undefined;
  #answered = 0;
  /** Something that was sent over it was lost: the rest is never heard of, whatever becomes of the network. */
  #isLost = false;

  constructor(context: EngineContext, clock: Clock, handler: SimHandler) {
    super({ allowHalfOpen: false });
    this.#context = context;
    this.#clock = clock;
    this.#handler = handler;
    const { faults, random } = context;
    this.#fate = fateOf(context);
    this.#sliceBytes = faults.strikes('net-sliced') ? random.pick([1, 2, 7, 100]) : undefined;
    this.#latencyMs = faults.strikes('net-latency') ? random.between(1, 3000) : random.next() * 5;
    this.#isTrickle = faults.strikes('net-trickle');
    // Whoever opened it may be told before it listens.
    this.on('error', () => {});
    if (faults.strikes('net-connect-hangs')) return;
    const isRefused = faults.strikes('net-refused');
    clock.schedule(() => (isRefused ? this.#fail('ECONNREFUSED') : this.#connected()), this.#latencyMs);
  }

  /** Closes the socket without events: its thread has died. */
  abandon(): void {
    this.#timer?.cancel();
    this.#answering?.abort();
    this.#pending = [];
    this.removeAllListeners();
    this.on('error', () => {});
    this.destroy();
    // Node closes the parser on the socket's close event, which is no longer emitted; the parser keeps the thread's objects
    // alive. It may be running now.
    const { parser } = this as { readonly parser?: { close(): void } | null };
    if (parser) setImmediate(() => parser.close());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#sent += chunk.toString('latin1');
    if (this.connecting) this.#waiting = done;
    else {
      this.#serve();
      done();
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#timer?.cancel();
    this.#answering?.abort();
    done(error);
  }

  #connected(): void {
    if (this.destroyed) return;
    this.connecting = false;
    this.emit('connect');
    this.#serve();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #serve(): void {
    const end = this.#sent.indexOf('\r\n\r\n');
    if (end < 0) return;
    const request = requestOf(this.#sent.slice(0, end));
    this.#sent = this.#sent.slice(end + 4);
    const { faults } = this.#context;
    if (this.#isLost || this.#context.isBlackHole) {
      this.#isLost = true;
      return;
    }
    if (this.#answered++ > 0 && faults.strikes('net-idle-socket-closed')) {
      this.#closing = 'reset';
      this.#deliverLater();
      return;
    }
    const abort = new AbortController();
    this.#answering = abort;
    this.#handler({
      request,
      signal: abort.signal,
      write: (bytes) => {
        if (abort.signal.aborted) return;
        this.#pending.push(bytes);
        this.#deliverLater();
      },
      done: () => {
        this.#answering = undefined;
      },
      close: (isReset) => {
        if (abort.signal.aborted) return;
        this.#closing = isReset ? 'reset' : 'cut';
        this.#deliverLater();
      },
    });
  }

  #deliverLater(): void {
    if (this.destroyed) return;
    this.#timer ??= this.#clock.schedule(
      () => {
        this.#timer = undefined;
        this.#deliver();
      },
      this.#isTrickle ? 20_000 : this.#latencyMs,
    );
  }

  #deliver(): void {
    if (this.destroyed) return;
    this.#isLost ||= this.#context.isBlackHole;
    if (this.#isLost) return;
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    const left =
      this.#fate === undefined ? bytes.length : Math.max(0, this.#fate.afterBytes - this.bytesRead);
    const most = this.#isTrickle ? 1 : left;
    if (this.#meetsSingleFault(bytes)) return;
    this.#push(bytes.subarray(0, Math.min(most, left)));
    if (this.destroyed) return;
    if (this.#fate !== undefined && bytes.length > 0 && left <= bytes.length) {
      this.#end(this.#fate.end);
      return;
    }
    if (most < bytes.length) {
      this.#pending.unshift(bytes.subarray(most));
      this.#deliverLater();
    } else if (this.#closing !== undefined) this.#end(this.#closing);
  }

  #meetsSingleFault(bytes: Buffer): boolean {
    const context = this.#context;
    const { cutBeforeByte = Number.POSITIVE_INFINITY } = context.singleFault;
    const before = context.bytesDelivered;
    context.bytesDelivered += bytes.length;
    if (before > cutBeforeByte || cutBeforeByte >= context.bytesDelivered) return false;
    this.#push(bytes.subarray(0, cutBeforeByte - before));
    if (!this.destroyed) this.#end(context.random.chance(0.5) ? 'cut' : 'reset');
    return true;
  }

  #push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.destroyed; ) {
      const isSliced = this.#sliceBytes !== undefined && this.bytesRead < SLICED_BYTES;
      const piece = Buffer.from(bytes.subarray(at, isSliced ? at + (this.#sliceBytes ?? 1) : undefined));
      at += piece.length;
      this.bytesRead += piece.length;
      this.push(piece);
    }
  }

  #end(how: Fate['end']): void {
    if (how === 'black hole') {
      this.#context.trace.line('black hole');
      return;
    }
    this.#answering?.abort();
    if (how === 'reset') this.#fail('ECONNRESET');
    else this.push(null);
  }

  #fail(code: string): void {
    this.destroy(Object.assign(new Error(code), { code }));
  }
}

function fateOf({ faults, random }: EngineContext): Fate | undefined {
  const afterBytes = random.chance(0.5) ? random.between(1, 600) : random.between(1, 20_000);
  if (faults.strikes('net-cut')) return { afterBytes, end: 'cut' };
  if (faults.strikes('net-reset')) return { afterBytes, end: 'reset' };
  if (faults.strikes('net-black-hole')) return { afterBytes, end: 'black hole' };
  return undefined;
}

function requestOf(head: string): SimRequest {
  const [start = '', ...lines] = head.split('\r\n');
  const [, target = '/'] = start.split(' ');
  const { pathname, searchParams } = new URL(target, 'http://sim');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { path: pathname, query: searchParams, headers };
}
