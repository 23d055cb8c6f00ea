import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { VirtualClock } from '../time/virtual-clock.js';
import { HttpSocket } from './http-socket.js';

/** How a server, or what stands before it, takes a request: an answer, silence, or the error that the socket gives. */
export type Behaviour = string | 'silence' | { readonly errno: string };

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const LATENCY_MS = 5;

/** A server at the end of a line, in virtual time, and the agent that leads there. */
export class VirtualLine {
  readonly agent: Agent = new Agent({ keepAlive: true });
  /** Heads of requests, in their order. */
  readonly requests: string[] = [];
  readonly sockets: VirtualSocket[] = [];
  behaviour: Behaviour = OK;
  /** The process stands still for so long as soon as it has asked something, once. */
  pauseWhenAskedMs = 0;
  readonly #clock: VirtualClock;
  #arriving = new Set<{ readonly deliver: () => void; timer: { cancel(): void } }>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.agent.createConnection = () => {
      const socket = new VirtualSocket((head) => this.#serve(head, socket));
      this.sockets.push(socket);
      return socket as unknown as Socket;
    };
  }

  get openSockets(): number {
    return this.sockets.filter(({ destroyed }) => !destroyed).length;
  }

  /** The process stands still. When it goes on, timers that are due come before what has arrived, as in Node's event loop. */
  pause(ms: number): void {
    this.#clock.jump(ms);
    for (const one of this.#arriving) {
      one.timer.cancel();
      one.timer = this.#clock.schedule(one.deliver, 1);
    }
  }

  #serve(head: string, socket: VirtualSocket): void {
    this.requests.push(head);
    const { behaviour } = this;
    if (behaviour === 'silence') return;
    const one = {
      deliver: (): void => {
        this.#arriving.delete(one);
        if (typeof behaviour === 'string') socket.push(behaviour);
        else socket.destroy(Object.assign(new Error(behaviour.errno), { code: behaviour.errno }));
      },
      timer: { cancel: (): void => {} },
    };
    one.timer = this.#clock.schedule(one.deliver, LATENCY_MS);
    this.#arriving.add(one);
    const pauseMs = this.pauseWhenAskedMs;
    this.pauseWhenAskedMs = 0;
    if (pauseMs > 0) this.pause(pauseMs);
  }
}

/** Takes requests apart. */
class VirtualSocket extends HttpSocket {
  readonly #onRequest: (head: string) => void;
  #sent = '';

  constructor(onRequest: (head: string) => void) {
    super();
    this.#onRequest = onRequest;
    this.on('error', () => {});
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#sent += chunk.toString('latin1');
    const end = this.#sent.indexOf('\r\n\r\n');
    if (end >= 0) {
      const head = this.#sent.slice(0, end);
      this.#sent = this.#sent.slice(end + 4);
      this.#onRequest(head);
    }
    done();
  }
}
