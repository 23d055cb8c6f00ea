import { readFile, stat } from 'node:fs/promises';
import { KubeflectError } from '../util/errors.js';
import type { TlsSettings } from '../wire/connection-settings.js';
import { checkAuthorities, checkPair } from './certificates.js';
import type { ConnectionSource } from './connection-source.js';
import { credentialsFailure, namesOf } from './credentials-failure.js';

interface Pair {
  readonly cert?: string;
  readonly key?: string;
}

/**
 * The credentials of a source that may be in files: certificate authorities, client certificate and key, token. A
 * file that cannot be read, or is invalid, leaves the last valid one in use. One instance per source, because the
 * credentials for one server or user must not be sent for another.
 */
export class CredentialFiles {
  readonly #source: Pick<ConnectionSource, 'tls' | 'tokenFile'>;
  readonly #files = new Map<string, ReloadedFile>();
  readonly #ca: LastValid<string | undefined>;
  readonly #pair: LastValid<Pair>;
  readonly #token: LastValid<string>;
  /** The last ones that passed the check, which takes longer than `stat`. */
  #checkedCa: string | undefined;
  #checkedPair: Pair = {};

  /** `onProblem` receives errors that leave the last valid credentials in use. */
  constructor(
    source: Pick<ConnectionSource, 'tls' | 'tokenFile'>,
    onProblem: (error: KubeflectError) => void,
  ) {
    this.#source = source;
    this.#ca = new LastValid(onProblem);
    this.#pair = new LastValid(onProblem);
    this.#token = new LastValid(onProblem);
  }

  async tls(mustReload: boolean): Promise<TlsSettings> {
    const { serverName, insecureSkipVerify } = this.#source.tls ?? {};
    const [ca, pair] = await Promise.all([
      this.#ca.get(() => this.#readCa(mustReload)),
      this.#pair.get(() => this.#readPair(mustReload)),
    ]);
    return {
      ...(ca !== undefined && { ca }),
      ...pair,
      ...(serverName && { serverName }),
      ...(insecureSkipVerify === true && { insecureSkipVerify }),
    };
  }

  /** Undefined without a token file. */
  async token(mustReload: boolean): Promise<string | undefined> {
    const { tokenFile } = this.#source;
    if (tokenFile === undefined) return undefined;
    return this.#token.get(async () => {
      const token = (await this.#file(tokenFile, mustReload)).trim();
      if (token === '') throw credentialsFailure(`the token file ${tokenFile} is empty`);
      return token;
    });
  }

  async #readCa(mustReload: boolean): Promise<string | undefined> {
    const { ca: data, caFile } = this.#source.tls ?? {};
    const ca = data ?? (await this.#optionalFile(caFile, mustReload));
    if (ca !== undefined && ca !== this.#checkedCa) {
      checkAuthorities(ca, caFile ?? 'the certificate authority data');
      this.#checkedCa = ca;
    }
    return ca;
  }

  async #readPair(mustReload: boolean): Promise<Pair> {
    const { cert: certData, key: keyData, certFile, keyFile } = this.#source.tls ?? {};
    const [cert, key] = await Promise.all([
      certData ?? this.#optionalFile(certFile, mustReload),
      keyData ?? this.#optionalFile(keyFile, mustReload),
    ]);
    if (cert === undefined && key === undefined) return {};
    if (cert === undefined || key === undefined) {
      throw credentialsFailure('a client certificate and its private key must be set together');
    }
    const pair = { cert, key };
    if (cert !== this.#checkedPair.cert || key !== this.#checkedPair.key) {
      checkPair(cert, key, certFile ?? 'the client certificate data');
      this.#checkedPair = pair;
    }
    return pair;
  }

  async #optionalFile(path: string | undefined, mustReload: boolean): Promise<string | undefined> {
    return path === undefined ? undefined : this.#file(path, mustReload);
  }

  #file(path: string, mustReload: boolean): Promise<string> {
    const file = this.#files.get(path) ?? new ReloadedFile(path);
    this.#files.set(path, file);
    return file.read(mustReload);
  }
}

/** A bundle of all public authorities is a quarter of this. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * The contents of a file, read again when it was replaced or has changed. Follows symbolic links, as in Kubernetes'
 * volumes.
 */
export class ReloadedFile {
  readonly #path: string;
  /** Taken before the file is read: if it changes in between, the next call notices. */
  #stamp: string | undefined;
  #contents = '';

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * `mustReload` reads the file even if it looks unchanged. Rejects with `KUBEFLECT_CREDENTIALS_FAILED`, naming the
   * path.
   */
  async read(mustReload: boolean): Promise<string> {
    try {
      const found = await stat(this.#path, { bigint: true });
      const { dev, ino, size, mtimeNs, ctimeNs } = found;
      const stamp = [dev, ino, size, mtimeNs, ctimeNs].join();
      if (stamp === this.#stamp && !mustReload) return this.#contents;
      if (!found.isFile()) throw credentialsFailure(`${this.#path} is not a file`);
      if (size > MAX_FILE_BYTES)
        throw credentialsFailure(`${this.#path} is larger than ${MAX_FILE_BYTES} bytes`);
      this.#contents = await readFile(this.#path, 'utf8');
      this.#stamp = stamp;
      return this.#contents;
    } catch (error) {
      this.#stamp = undefined;
      if (error instanceof KubeflectError) throw error;
      throw credentialsFailure(`${this.#path} could not be read: ${namesOf(error)}`);
    }
  }
}

/**
 * A value that is read repeatedly. After the first success, a failure leaves the last valid value in use. It is
 * reported once, when it occurs a second time in a row: at the first, a rotation may only be half done.
 */
export class LastValid<T> {
  readonly #onProblem: (error: KubeflectError) => void;
  #valid: { readonly value: T } | undefined;
  #problem: { readonly message: string; isReported: boolean } | undefined;

  constructor(onProblem: (error: KubeflectError) => void) {
    this.#onProblem = onProblem;
  }

  /** Rejects with the error of `read` if there is no valid value yet. */
  async get(read: () => Promise<T>): Promise<T> {
    try {
      this.#valid = { value: await read() };
      this.#problem = undefined;
    } catch (error) {
      if (this.#valid === undefined) throw error;
      this.#note(error as KubeflectError);
    }
    return this.#valid.value;
  }

  #note(error: KubeflectError): void {
    const { message } = error;
    if (this.#problem?.message !== message) {
      this.#problem = { message, isReported: false };
    } else if (!this.#problem.isReported) {
      this.#problem.isReported = true;
      this.#onProblem(error);
    }
  }
}
