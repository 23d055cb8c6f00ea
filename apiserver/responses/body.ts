import { constants, createGzip, type Gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { prettyJson } from '../json.js';
import type { ResponseWriter } from './response-writer.js';

/** kube-apiserver compresses bodies above this size, at its fastest level. */
const GZIP_FROM_BYTES = 128 * 1024;
export const GZIP_OPTIONS: ZlibOptions = { level: 1, finishFlush: constants.Z_FINISH };
const NEWLINE = Buffer.from('\n');
const JSON_TYPE = 'application/json';
export const GZIP_HEADERS: Readonly<Record<string, string>> = {
  'Content-Encoding': 'gzip',
  Vary: 'Accept-Encoding',
};

export interface BodyOptions {
  readonly isPretty: boolean;
  readonly acceptsGzip: boolean;
  readonly headers: Readonly<Record<string, string | number>>;
  /** The body was corrupted on purpose and may not be JSON: it is sent unchanged. */
  readonly isRaw?: boolean;
  /** @default application/json */
  readonly contentType?: string;
}

/** Sends a complete JSON body; compact ones end with a newline, as with Go's encoder. */
export function sendJson(
  writer: ResponseWriter,
  status: number,
  json: string | Buffer,
  options: BodyOptions,
): void {
  sendBody(writer, status, encodeBody(json, options), options);
}

/** Sends a complete body. */
export function sendBody(writer: ResponseWriter, status: number, plain: Buffer, options: BodyOptions): void {
  const isCompressed = options.acceptsGzip && plain.length > GZIP_FROM_BYTES;
  const body = isCompressed ? gzipSync(plain, GZIP_OPTIONS) : plain;
  writer.begin(status, {
    ...options.headers,
    'Content-Type': options.contentType ?? JSON_TYPE,
    ...(isCompressed ? GZIP_HEADERS : {}),
    'Content-Length': body.length,
  });
  writer.write(body);
  writer.end();
}

function encodeBody(json: string | Buffer, options: BodyOptions): Buffer {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  if (options.isRaw === true) return bytes;
  return options.isPretty ? Buffer.from(prettyJson(bytes.toString())) : Buffer.concat([bytes, NEWLINE]);
}

/** A body that is streamed. Nothing is sent until it is known whether it will be compressed. */
export class BodyStream {
  readonly #writer: ResponseWriter;
  readonly #options: BodyOptions;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #gzip: Gzip | undefined;

  constructor(writer: ResponseWriter, options: BodyOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  /** True if no written buffer is in use any more. */
  get isSent(): boolean {
    return this.#held.length === 0 && this.#writer.isSent;
  }

  /** The bytes may be reused once the promise resolves and `isSent` is true. */
  async write(bytes: Buffer): Promise<void> {
    if (!this.#writer.hasBegun) {
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
      if (this.#options.acceptsGzip && this.#heldBytes <= GZIP_FROM_BYTES) return;
      this.#begin(this.#options.acceptsGzip);
      for (const held of this.#held.splice(0)) await this.#send(held);
      return;
    }
    await this.#send(bytes);
  }

  async end(): Promise<void> {
    if (!this.#writer.hasBegun) {
      this.#begin(false, this.#heldBytes);
      for (const held of this.#held.splice(0)) await this.#send(held);
    }
    const gzip = this.#gzip;
    if (gzip !== undefined) {
      await new Promise<void>((resolve) => {
        gzip.on('end', resolve);
        gzip.end();
      });
    }
    this.#writer.end();
  }

  #begin(isCompressed: boolean, length?: number): void {
    this.#writer.begin(200, {
      ...this.#options.headers,
      'Content-Type': this.#options.contentType ?? JSON_TYPE,
      ...(isCompressed ? GZIP_HEADERS : {}),
      ...(length === undefined ? {} : { 'Content-Length': length }),
    });
    if (!isCompressed) return;
    this.#gzip = createGzip(GZIP_OPTIONS);
    this.#gzip.on('data', (bytes: Buffer) => this.#writer.write(bytes));
  }

  async #send(bytes: Buffer): Promise<void> {
    if (this.#gzip === undefined) this.#writer.write(bytes);
    else {
      const gzip = this.#gzip;
      await new Promise<void>((resolve) => gzip.write(bytes, () => resolve()));
    }
    await this.#writer.drained();
  }
}
