import type { Socket } from 'node:net';
import { type StreamFailure, transportFailure } from '../stream-failure.js';

/** Reads what a proxy says before a tunnel is open, and not a byte more. Failures are `StreamFailure`s. */
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

  /** Up to and with `end`; fails if it has not come within `most` bytes. */
  async readUntil(end: string, most: number): Promise<string> {
    let text = '';
    while (!text.includes(end)) {
      if (text.length >= most) throw transportFailure('EPROXY', 'the proxy answered too long a head');
      const bytes = this.#socket.read() as Buffer | null;
      if (bytes === null) await this.#readable();
      else text += bytes.toString('latin1');
    }
    const length = text.indexOf(end) + end.length;
    // The rest belongs to the other side of the tunnel.
    if (text.length > length) this.#socket.unshift(Buffer.from(text.slice(length), 'latin1'));
    return text.slice(0, length);
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
      const onEnd = (): void => settle(transportFailure('ECONNRESET', 'the proxy hung up'));
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
