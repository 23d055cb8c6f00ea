import type { Credentials } from '../auth/credentials.js';
import { ApiStatusError } from '../kube/status.js';
import type { StreamHandle, StreamMessage } from '../pool/stream-handle.js';
import { TransportError } from '../util/errors.js';
import type { ConnectionSettings } from '../wire/connection-settings.js';

const UNAUTHORIZED = 401;

/** Nobody was reached, so nobody can have minded the credentials. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

export type OpenStream = (connection: ConnectionSettings) => StreamHandle;

interface Opened {
  readonly handle: StreamHandle;
  readonly settings: ConnectionSettings;
}

/**
 * A stream that is opened with the credentials of the moment, and once more with others if the server answers 401, or if they have
 * changed while it could not be opened: a server with a new certificate is met before its new authority is known. Nothing has come
 * by then, so whoever reads does not notice. As a handle: messages are pulled, one call at a time.
 */
export class AuthorizedStream {
  readonly #credentials: Credentials;
  readonly #open: OpenStream;
  #isStopped = false;
  /** Lets go of who waits for the stream to open. */
  #onStop = (): void => {};
  #opened: Promise<Opened | undefined>;
  #handle: StreamHandle | undefined;
  #isOpen = false;
  #isSecondTry = false;

  constructor(credentials: Credentials, open: OpenStream) {
    this.#credentials = credentials;
    this.#open = open;
    this.#opened = this.#openWith(credentials.current());
  }

  /** Of the stream that gave the last message. */
  get epoch(): number {
    return this.#handle?.epoch ?? 0;
  }

  async next(): Promise<StreamMessage | undefined> {
    for (;;) {
      const opened = await this.#opened;
      if (opened === undefined) return undefined;
      try {
        const message = await opened.handle.next();
        if (message?.type === 'open') {
          this.#isOpen = true;
          this.#credentials.accepted(opened.settings);
        }
        return message;
      } catch (error) {
        if (this.#isOpen || this.#isSecondTry) throw error;
        this.#isSecondTry = true;
        this.#opened = this.#openWith(this.#othersThan(opened.settings, error));
      }
    }
  }

  /** Idempotent. A pending `next` is told that it is over. */
  stop(): void {
    this.#isStopped = true;
    this.#onStop();
    this.#handle?.stop();
  }

  /** Throws the error again if there are none. */
  async #othersThan(refused: ConnectionSettings, error: unknown): Promise<ConnectionSettings> {
    const others = await this.#lookForOthers(refused, error);
    if (others === undefined || others === refused) throw error;
    return others;
  }

  async #lookForOthers(refused: ConnectionSettings, error: unknown): Promise<ConnectionSettings | undefined> {
    if (isUnauthorized(error)) return this.#credentials.renewed(refused);
    const isReached = error instanceof TransportError && !UNREACHED.has(error.errno);
    return isReached ? this.#credentials.current() : undefined;
  }

  /** Undefined if it was stopped first, which is not waited for longer than that. */
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
    // Whoever reads is told; a page that was asked for early may never be read.
    opened.catch(() => {});
    return opened;
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiStatusError && error.status.code === UNAUTHORIZED;
}
