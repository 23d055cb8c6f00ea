import type { Socket } from 'node:net';
import { type StreamFailure, transportFailure } from '../stream-failure.js';

/** The host and port that a tunnel leads to. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Credentials for the proxy, not for the API server. */
export interface ProxyLogin {
  readonly user: string;
  readonly password: string;
}

/** Reads what a proxy sends before a tunnel is open, and not a byte more. Failures are `StreamFailure`s. */
export class HandshakeReader {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async read(count: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(count) as Buffer | null;
      if (bytes?.length === count) return bytes;
      await this.#readable();
    }
  }

  /** Up to and including `terminator`; fails if it does not come within `maxBytes`. */
  async readUntil(terminator: string, maxBytes: number): Promise<string> {
    let head = '';
    while (!head.includes(terminator)) {
      if (head.length >= maxBytes) throw proxyFailure('sent a response head that is too long');
      const bytes = this.#socket.read() as Buffer | null;
      if (bytes === null) await this.#readable();
      else head += bytes.toString('latin1');
    }
    const length = head.indexOf(terminator) + terminator.length;
    // The rest comes from the other side of the tunnel.
    if (head.length > length) this.#socket.unshift(Buffer.from(head.slice(length), 'latin1'));
    return head.slice(0, length);
  }

  #readable(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const settle = (failure?: Error): void => {
        socket.off('readable', onReadable);
        socket.off('error', onError);
        socket.off('end', onEnd);
        socket.off('close', onEnd);
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const onReadable = (): void => settle();
      const onError = (error: Error): void => settle(error);
      const onEnd = (): void => settle(transportFailure('ECONNRESET', 'the proxy closed the connection'));
      socket.on('readable', onReadable);
      socket.on('error', onError);
      socket.on('end', onEnd);
      socket.on('close', onEnd);
      if (socket.errored) onError(socket.errored);
      else if (socket.destroyed) onEnd();
    });
  }
}

export function proxyFailure(message: string): StreamFailure {
  return transportFailure('EPROXY', `the proxy ${message}`);
}
