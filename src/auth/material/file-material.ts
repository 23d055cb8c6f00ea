import type { KubeflectError } from '../../util/errors.js';
import type { TlsSettings } from '../../wire/connection-settings.js';
import type { ConnectionSource } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import { checkAuthorities, checkPair } from './certificates.js';
import { LastGood } from './last-good.js';
import { ReloadedFile } from './reloaded-file.js';

interface Pair {
  readonly cert?: string;
  readonly key?: string;
}

/**
 * What of a source may stand in files: authorities, certificate and key, token. A file that cannot be read, or holds what cannot be used,
 * leaves the last good one in force. For one source: another server, or another user, must not be shown what was good for this one.
 */
export class FileMaterial {
  readonly #source: Pick<ConnectionSource, 'tls' | 'tokenFile'>;
  readonly #files = new Map<string, ReloadedFile>();
  readonly #ca: LastGood<string | undefined>;
  readonly #pair: LastGood<Pair>;
  readonly #token: LastGood<string>;
  /** The last that passed the check, since checking takes longer than looking at a file. */
  #checkedCa: string | undefined;
  #checkedPair: Pair = {};

  /** `onProblem` is told when the last good one stays in force. */
  constructor(
    source: Pick<ConnectionSource, 'tls' | 'tokenFile'>,
    onProblem: (error: KubeflectError) => void,
  ) {
    this.#source = source;
    this.#ca = new LastGood(onProblem);
    this.#pair = new LastGood(onProblem);
    this.#token = new LastGood(onProblem);
  }

  async tls(isForced: boolean): Promise<TlsSettings> {
    const { serverName, insecureSkipVerify } = this.#source.tls ?? {};
    const [ca, pair] = await Promise.all([
      this.#ca.get(() => this.#readCa(isForced)),
      this.#pair.get(() => this.#readPair(isForced)),
    ]);
    return {
      ...(ca !== undefined && { ca }),
      ...pair,
      ...(serverName && { serverName }),
      ...(insecureSkipVerify === true && { insecureSkipVerify }),
    };
  }

  /** Undefined without a token file. */
  async token(isForced: boolean): Promise<string | undefined> {
    const { tokenFile } = this.#source;
    if (tokenFile === undefined) return undefined;
    return this.#token.get(async () => {
      const token = (await this.#file(tokenFile, isForced)).trim();
      if (token === '') throw credentialsFailure(`the token file ${tokenFile} is empty`);
      return token;
    });
  }

  async #readCa(isForced: boolean): Promise<string | undefined> {
    const { ca: data, caFile } = this.#source.tls ?? {};
    const ca = data ?? (await this.#fileIfGiven(caFile, isForced));
    if (ca !== undefined && ca !== this.#checkedCa) {
      checkAuthorities(ca, caFile ?? 'the certificate authority data');
      this.#checkedCa = ca;
    }
    return ca;
  }

  async #readPair(isForced: boolean): Promise<Pair> {
    const { cert: certData, key: keyData, certFile, keyFile } = this.#source.tls ?? {};
    const [cert, key] = await Promise.all([
      certData ?? this.#fileIfGiven(certFile, isForced),
      keyData ?? this.#fileIfGiven(keyFile, isForced),
    ]);
    if (cert === undefined && key === undefined) return {};
    if (cert === undefined || key === undefined) {
      throw credentialsFailure('a client certificate needs its private key, and a key its certificate');
    }
    const pair = { cert, key };
    if (cert !== this.#checkedPair.cert || key !== this.#checkedPair.key) {
      checkPair(cert, key, certFile ?? 'the client certificate data');
      this.#checkedPair = pair;
    }
    return pair;
  }

  async #fileIfGiven(path: string | undefined, isForced: boolean): Promise<string | undefined> {
    return path === undefined ? undefined : this.#file(path, isForced);
  }

  #file(path: string, isForced: boolean): Promise<string> {
    const file = this.#files.get(path) ?? new ReloadedFile(path);
    this.#files.set(path, file);
    return file.read(isForced);
  }
}
