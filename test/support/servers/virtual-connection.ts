import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { VirtualClock } from '../time/virtual-clock.js';
import { HttpSocket } from './http-socket.js';

/** How a server or a proxy handles a request: a response, silence, or an error of the socket. */
export type Behaviour = string | 'silence' | { readonly errno: string };

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const LATENCY_MS = 5;

/** A server in virtual time, and the agent that connects to it. */
export class VirtualConnection {
  readonly agent: Agent = new Agent({ keepAlive: true });
  /** Heads of the requests, in order. */
  readonly requests: string[] = [];
  readonly sockets: VirtualSocket[] = [];
  behaviour: Behaviour = OK;
  /** Suspends the process for this time after the next request. */
  pauseOnRequestMs = 0;
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

  /** Suspends the process. When it continues, due timers run before received data, as in Node's event loop. */
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
    const pauseMs = this.pauseOnRequestMs;
    this.pauseOnRequestMs = 0;
    if (pauseMs > 0) this.pause(pauseMs);
  }
}

/** Splits what is written into requests. */
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
