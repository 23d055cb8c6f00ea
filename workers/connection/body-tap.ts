import type { Socket } from 'node:net';
import { ChunkedBody } from './chunked-body.js';

/** Receives what one read of the socket brought of a body. Borrowed: valid during the call. */
export type BodySink = (bytes: Uint8Array) => void;

/** A blank line ends the head of a response. */
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Takes the body of one response past Node's HTTP client, which spends as long on a small event as decoding it takes:
 *
 *     head       Node gets the bytes up to the end of a head
 *     body       the body in chunks is decoded here, if `takeOver` was called for that head
 *     released   Node gets everything: the last chunk and what follows, a chunk with extensions, any other response
 *
 * Between head and last chunk Node waits for the first chunk. So it ends the response, reports what is not HTTP, and a
 * connection that closes too early, as if it had read the body itself.
 */
export class BodyTap {
  readonly #socket: Socket;
  readonly #emit: (bytes: Uint8Array) => void;
  readonly #body = new ChunkedBody();
  #state: 'head' | 'body' | 'released' = 'head';
  #sink: BodySink = () => {};
  /** The last bytes of earlier reads, in which the end of the head may begin. */
  #tail: Buffer = Buffer.alloc(0);
  /** Node has been given a complete head, and nothing after it. */
  #isAfterHead = false;

  private constructor(socket: Socket, emit: (bytes: Uint8Array) => void) {
    this.#socket = socket;
    this.#emit = emit;
  }

  /** For the response to the request that is about to be sent on this socket. */
  static of(socket: Socket): BodyTap {
    const tap = new BodyTap(socket, (bytes) => void socket.emit('data', bytes));
    taps.set(socket, tap);
    return tap;
  }

  /** Call it while Node reports the response. False: Node reads the body. */
  takeOver(sink: BodySink): boolean {
    if (!this.#isAfterHead) return false;
    this.#state = 'body';
    this.#sink = sink;
    return true;
  }

  /** The head was that of the response. Unless the body was taken over, Node reads everything from now on. */
  endHead(): void {
    if (this.#state === 'head') this.#release();
  }

  /** What was read from the socket, in memory that may be changed. */
  read(bytes: Buffer): void {
    const rest = this.#state === 'head' ? this.#readHead(bytes) : bytes;
    if (rest.length === 0 || this.#socket.destroyed) return;
    if (this.#state === 'body') this.#readBody(rest);
    else this.#emit(rest);
  }

  /** Returns what comes after the head. */
  #readHead(bytes: Buffer): Buffer {
    const before = this.#tail.length;
    const seen = Buffer.concat([this.#tail, bytes]);
    const at = seen.indexOf(END_OF_HEAD);
    if (at < 0) {
      this.#tail = seen.subarray(Math.max(0, seen.length - END_OF_HEAD.length + 1));
      this.#emit(bytes);
      return NOTHING;
    }
    const end = at + END_OF_HEAD.length - before;
    this.#tail = NOTHING;
    this.#isAfterHead = true;
    this.#emit(bytes.subarray(0, end));
    this.#isAfterHead = false;
    const rest = bytes.subarray(end);
    // Not the response yet: another head follows.
    return this.#state === 'head' && !this.#socket.destroyed ? this.#readHead(rest) : rest;
  }

  #readBody(bytes: Buffer): void {
    const { data, rest } = this.#body.decode(bytes);
    if (data.length > 0) this.#sink(data);
    if (rest === undefined || this.#socket.destroyed) return;
    this.#release();
    this.#emit(rest);
  }

  #release(): void {
    this.#state = 'released';
    taps.delete(this.#socket);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

const taps = new WeakMap<Socket, BodyTap>();

/** Where the bytes of a socket go: to its tap, or to Node. */
export function emitRead(socket: Socket, bytes: Buffer): void {
  const tap = taps.get(socket);
  if (tap === undefined) socket.emit('data', bytes);
  else tap.read(bytes);
}
