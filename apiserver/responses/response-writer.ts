import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse } from 'node:http2';
import type { RequestRecord } from '../control/control-protocol.js';
import type { FaultPlan } from '../faults/fault-table.js';

export type Response = ServerResponse | Http2ServerResponse;

/**
 * One response, HTTP/1.1 or HTTP/2, with the faults of the request that act on bytes.
 *
 * A fault that ended or stalled the response makes every later call do nothing, so endpoints need not know.
 */
export class ResponseWriter {
  readonly faults: FaultPlan;
  readonly record: RequestRecord;
  readonly #response: Response;
  readonly #onBytes: (count: number) => void;
  readonly #chunkSizes: readonly number[];
  #chunkAt = 0;
  #isMute = false;
  #isEnded = false;

  constructor(
    response: Response,
    faults: FaultPlan,
    record: RequestRecord,
    onBytes: (count: number) => void,
  ) {
    this.#response = response;
    this.faults = faults;
    this.record = record;
    this.#onBytes = onBytes;
    this.#chunkSizes = faults.get('chunks')?.sizes ?? [];
    response.on('error', () => this.#finish());
    response.on('close', () => this.#finish());
  }

  /** True once the response has ended, for whatever reason. */
  get isOver(): boolean {
    return this.#isEnded;
  }

  get hasBegun(): boolean {
    return this.record.status !== undefined;
  }

  /** False while the socket's buffer is full. */
  get isReady(): boolean {
    return this.#isMute || !this.#response.writableNeedDrain;
  }

  /** The kernel has taken all bytes. */
  get isSent(): boolean {
    return this.#response.writableLength === 0;
  }

  onOver(listener: () => void): void {
    this.#response.on('close', listener);
  }

  /** Sends status and headers immediately, as kube-apiserver does for a watch. */
  begin(status: number, headers: Readonly<Record<string, string | number>>): void {
    if (this.#isEnded || this.hasBegun) return;
    this.record.status = status;
    const stall = this.faults.get('stall');
    if (stall !== undefined && (stall.afterBytes ?? 0) === 0) {
      this.#isMute = true;
      return;
    }
    const { 'Content-Length': length, ...others } = headers;
    const isLengthSent = length !== undefined && this.faults.get('end') === undefined;
    this.#response.writeHead(status, isLengthSent ? { ...headers } : others);
    if (!isHttp2(this.#response)) this.#response.flushHeaders();
    if (this.#cutAfter() === 0) this.#breakConnection();
  }

  /** Accepts any number of bytes; await `drained` before writing more. */
  write(bytes: Buffer): void {
    if (this.#isEnded || this.#isMute || bytes.length === 0) return;
    const endAfter = this.faults.get('end')?.afterBytes ?? Number.POSITIVE_INFINITY;
    const limit = Math.min(
      this.#cutAfter(),
      endAfter,
      this.faults.get('stall')?.afterBytes ?? Number.POSITIVE_INFINITY,
    );
    const room = limit - this.record.bytes;
    const taken = bytes.length < room ? bytes : bytes.subarray(0, room);
    this.record.bytes += taken.length;
    this.#onBytes(taken.length);
    this.#send(taken);
    if (taken.length < bytes.length || this.record.bytes === limit) {
      if (this.#cutAfter() === limit) this.#breakConnection();
      else {
        if (endAfter === limit) this.end();
        this.#isMute = true;
      }
    }
  }

  /** Resolves when the socket accepts more, or the response has ended. */
  drained(): Promise<void> {
    if (this.isReady || this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        this.#response.off('drain', finish);
        this.#response.off('close', finish);
        resolve();
      };
      this.#response.on('drain', finish);
      this.#response.on('close', finish);
    });
  }

  end(): void {
    if (this.#isEnded || this.#isMute) return;
    this.#response.end();
  }

  /** Closes the connection without a response. */
  destroy(): void {
    if (isHttp2(this.#response)) this.#response.stream?.session?.destroy();
    else this.#response.socket?.destroy();
    this.#finish();
  }

  #send(bytes: Buffer): void {
    if (this.#chunkSizes.length === 0) {
      this.#writeOut(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      const size = Math.max(1, this.#chunkSizes[this.#chunkAt++ % this.#chunkSizes.length] ?? 1);
      this.#writePiece(bytes.subarray(at, at + size));
      at += size;
    }
  }

  /**
   * From Node 26 on, writes of one event loop turn become one chunk, unless each is corked and uncorked by
   * itself.
   */
  #writePiece(bytes: Buffer): void {
    const response = this.#response;
    if (isHttp2(response)) {
      response.write(bytes);
      return;
    }
    response.cork();
    response.write(bytes);
    response.uncork();
  }

  #writeOut(bytes: Buffer): void {
    if (isHttp2(this.#response)) this.#response.write(bytes);
    else this.#response.write(bytes);
  }

  #cutAfter(): number {
    return (
      this.faults.get('cut')?.afterBytes ?? this.faults.get('reset')?.afterBytes ?? Number.POSITIVE_INFINITY
    );
  }

  /** Closes the connection in mid-body, after all written bytes were sent. */
  #breakConnection(): void {
    const isReset = this.faults.get('reset') !== undefined;
    this.#isMute = true;
    const response = this.#response;
    // The callback of an empty write runs when all bytes before it have been passed to the kernel.
    const afterFlush = (): void => {
      if (isHttp2(response)) {
        if (isReset) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
        else response.stream?.session?.destroy();
      } else if (isReset) response.socket?.resetAndDestroy();
      else response.socket?.end();
    };
    if (isHttp2(response)) setImmediate(afterFlush);
    else response.socket?.write('', afterFlush);
  }

  #finish(): void {
    this.#isEnded = true;
  }
}

function isHttp2(response: Response): response is Http2ServerResponse {
  return 'stream' in response;
}
