import type { Credentials } from '../auth/credentials.js';
import { ApiStatusError } from '../kube/status.js';
import type { StreamHandle, StreamMessage } from '../pool/stream-handle.js';
import { TransportError } from '../util/errors.js';
import type { ConnectionSettings } from '../wire/connection-settings.js';

const OK = 200;
const UNAUTHORIZED = 401;

/** The server was not reached, so the credentials are not the cause. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

export type OpenStream = (connection: ConnectionSettings) => StreamHandle;

/** Counts one request; `code` is undefined if there was no response. */
export type CountRequest = (server: string, code: number | undefined) => void;

interface Opened {
  readonly handle: StreamHandle;
  readonly settings: ConnectionSettings;
}

/**
 * A stream that is opened with the current credentials, and once more with others if the server responds 401, or if
 * they changed while the stream failed to open: a server may present a new certificate before its new authority has
 * been read. Nothing has been yielded by then, so the reader does not notice. Messages are pulled as from a
 * `StreamHandle`.
 */
export class AuthorizedStream {
  readonly #credentials: Credentials;
  readonly #open: OpenStream;
  readonly #count: CountRequest;
  #isStopped = false;
  /** Resolves `#opened` if it is pending. */
  #onStop = (): void => {};
  #opened: Promise<Opened | undefined>;
  #handle: StreamHandle | undefined;
  #isOpen = false;
  #isSecondAttempt = false;

  constructor(credentials: Credentials, open: OpenStream, count: CountRequest) {
    this.#credentials = credentials;
    this.#open = open;
    this.#count = count;
    this.#opened = this.#openWith(credentials.current());
  }

  /** Of the stream that yielded the last message. */
  get epoch(): number {
    return this.#handle?.epoch ?? 0;
  }

  next(): Promise<StreamMessage | undefined> {
    return this.#isOpen && this.#handle !== undefined ? this.#handle.next() : this.#nextWhileOpening();
  }

  /** Resolves a pending `next` with undefined. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#onStop();
    this.#handle?.stop();
  }

  async #nextWhileOpening(): Promise<StreamMessage | undefined> {
    for (;;) {
      const opened = await this.#opened;
      if (opened === undefined) return undefined;
      try {
        const message = await opened.handle.next();
        if (message?.type === 'open') {
          this.#isOpen = true;
          this.#credentials.accepted(opened.settings);
          this.#count(opened.settings.server, OK);
        }
        return message;
      } catch (error) {
        if (error instanceof TransportError) this.#count(opened.settings.server, undefined);
        if (error instanceof ApiStatusError) this.#count(opened.settings.server, error.status.code);
        if (this.#isSecondAttempt) throw error;
        this.#isSecondAttempt = true;
        this.#opened = this.#openWith(this.#otherCredentials(opened.settings, error));
      }
    }
  }

  /** Throws `error` if there are none. */
  async #otherCredentials(rejected: ConnectionSettings, error: unknown): Promise<ConnectionSettings> {
    const others = await this.#findOthers(rejected, error);
    if (others === undefined || others === rejected) throw error;
    return others;
  }

  async #findOthers(rejected: ConnectionSettings, error: unknown): Promise<ConnectionSettings | undefined> {
    if (isUnauthorized(error)) return this.#credentials.renewed(rejected);
    const isReached = error instanceof TransportError && !UNREACHED.has(error.errno);
    return isReached ? this.#credentials.current() : undefined;
  }

  /** Resolves with undefined as soon as the stream is stopped. */
  #openWith(settings: Promise<ConnectionSettings>): Promise<Opened | undefined> {
    const opened = new Promise<Opened | undefined>((resolve, reject) => {
      if (this.#isStopped) resolve(undefined);
      else this.#onStop = () => resolve(undefined);
      settings.then((connection) => {
        if (this.#isStopped) return;
        this.#handle = this.#open(connection);
        resolve({ handle: this.#handle, settings: connection });
      }, reject);
    });
    // Not an unhandled rejection: `next` throws it, and a prefetched page may never be read.
    opened.catch(() => {});
    return opened;
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiStatusError && error.status.code === UNAUTHORIZED;
}
