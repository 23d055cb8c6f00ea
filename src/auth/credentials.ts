import { type Clock, systemClock, systemWallTime, type WallTime } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import type { ConnectionSettings, HeaderFields, TlsSettings } from '../wire/connection-settings.js';
import type { Identity, IdentitySource } from './connection-source.js';
import { credentialsFailure, namesOf } from './credentials-failure.js';
import { ExecIdentity } from './exec/exec-identity.js';
import type { ExecPlugin } from './exec/exec-plugin.js';
import { FileMaterial } from './material/file-material.js';
import { proxyOf } from './proxy/proxy.js';

/** After a renewal whose result the server did not take either, the next is tried no sooner: a plugin is not run for every stream of every informer. */
const RENEW_INTERVAL_MS = 10_000;

/** Why there are new settings: the first ones; something was changed or had expired; the server answered 401. */
export type RefreshReason = 'first' | 'changed' | 'unauthorized';

export interface CredentialsOptions {
  /** Asked whenever settings are wanted. */
  readonly source: () => IdentitySource;
  readonly clock?: Clock;
  readonly wallTime?: WallTime;
  /** Given to exec plugins, and asked for proxies. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Told of what went wrong while the last good credentials stay in force. @default nobody is told, as of the next three */
  readonly onProblem?: (error: KubeflectError) => void;
  readonly onRefresh?: (reason: RefreshReason) => void;
  /** Told how each run of an exec plugin ended. */
  readonly onExecRun?: (outcome: string) => void;
  /** Told once, if the server's certificate is not verified. */
  readonly onInsecure?: (server: string) => void;
}

let made = 0;

/**
 * The connection settings of an engine, as they are now. One attempt to make them is under way at a time, and shared by all who ask;
 * settings that have not changed are the same object.
 */
export class Credentials {
  readonly #options: Required<CredentialsOptions>;
  readonly #origin = `credentials-${++made}`;
  #current: ConnectionSettings | undefined;
  #currentText = '';
  #material: { readonly id: string; readonly of: FileMaterial } | undefined;
  #exec: { readonly id: string; readonly of: ExecIdentity } | undefined;
  readonly #closed = new AbortController();
  #loading: Promise<ConnectionSettings> | undefined;
  #renewing: Promise<ConnectionSettings> | undefined;
  #renewAgainAtMs = Number.NEGATIVE_INFINITY;
  #hasWarned = false;

  constructor(options: CredentialsOptions) {
    this.#options = {
      clock: systemClock,
      wallTime: systemWallTime,
      environment: process.env,
      onProblem: () => {},
      onRefresh: () => {},
      onExecRun: () => {},
      onInsecure: () => {},
      ...options,
    };
  }

  /** Rejects with `KUBEFLECT_CREDENTIALS_FAILED` if there are none, or what the source threw. */
  async current(): Promise<ConnectionSettings> {
    // What is being renewed was refused: no use in giving it to somebody else.
    if (this.#renewing !== undefined) return this.#renewing;
    this.#loading ??= this.#load(false).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The server has taken these. */
  accepted(settings: ConnectionSettings): void {
    if (settings === this.#current) this.#renewAgainAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * The server answered 401 to these: makes others, or gives those that have been made since. Undefined if there are no others.
   * Rejects with `KUBEFLECT_CREDENTIALS_FAILED`.
   */
  async renewed(refused: ConnectionSettings): Promise<ConnectionSettings | undefined> {
    if (this.#current === refused) {
      if (this.#renewing === undefined && this.#options.clock.now() < this.#renewAgainAtMs) return undefined;
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
      await this.#renewing;
    }
    return this.#current === refused ? undefined : this.#current;
  }

  /** Ends a plugin that runs. */
  close(): void {
    this.#closed.abort();
  }

  async #renew(): Promise<ConnectionSettings> {
    // Begun before the 401: it may bring what was refused.
    await this.#loading?.catch(() => {});
    try {
      return await this.#load(true);
    } finally {
      this.#renewAgainAtMs = this.#options.clock.now() + RENEW_INTERVAL_MS;
    }
  }

  async #load(isRefused: boolean): Promise<ConnectionSettings> {
    const source = sourceNow(this.#options.source);
    const { server, compression } = source;
    const proxyUrl = proxyOf(server, source.proxyUrl, this.#options.environment);
    const material = this.#materialOf(source);
    const [tls, token, headers] = await Promise.all([
      material.tls(isRefused),
      material.token(isRefused),
      headersOf(source, isRefused),
    ]);
    const identity = await this.#identity(source, tls, isRefused);
    const { headers: own = {}, ...pair } = identity;
    const settings: ConnectionSettings = {
      server,
      headers: merged(headers, own, token === undefined ? {} : { authorization: `Bearer ${token}` }),
      tls: { ...tls, ...pair },
      origin: this.#origin,
      ...(proxyUrl && { proxyUrl }),
      ...(compression && { compression }),
    };
    return this.#adopt(settings, isRefused);
  }

  #identity(source: IdentitySource, tls: TlsSettings, isRefused: boolean): Promise<Identity> {
    const { exec, server, compression, proxyUrl } = source;
    if (exec === undefined) return providedIdentity(source, isRefused);
    const cluster = { server, tls, ...(compression && { compression }), ...(proxyUrl && { proxyUrl }) };
    return this.#execOf(exec, server).identity({ isRefused, cluster });
  }

  #adopt(settings: ConnectionSettings, isRefused: boolean): ConnectionSettings {
    const text = JSON.stringify(settings);
    if (this.#current !== undefined && text === this.#currentText) return this.#current;
    const reason = this.#current === undefined ? 'first' : isRefused ? 'unauthorized' : 'changed';
    this.#current = settings;
    this.#currentText = text;
    this.#renewAgainAtMs = Number.NEGATIVE_INFINITY;
    this.#options.onRefresh(reason);
    if (
      settings.tls?.insecureSkipVerify === true &&
      settings.server.startsWith('https:') &&
      !this.#hasWarned
    ) {
      this.#hasWarned = true;
      this.#options.onInsecure(settings.server);
    }
    return settings;
  }

  /** Kept for as long as the source asks for the same: what was good for one server or user is nobody else's business. */
  #materialOf({ server, tls, tokenFile }: IdentitySource): FileMaterial {
    const id = JSON.stringify([server, tls, tokenFile]);
    if (this.#material?.id !== id) {
      const files = { ...(tls && { tls }), ...(tokenFile && { tokenFile }) };
      this.#material = { id, of: new FileMaterial(files, this.#options.onProblem) };
    }
    return this.#material.of;
  }

  #execOf(plugin: ExecPlugin, server: string): ExecIdentity {
    const id = JSON.stringify([server, plugin]);
    if (this.#exec?.id !== id) {
      const { onExecRun: onRun, ...options } = this.#options;
      const signal = this.#closed.signal;
      this.#exec = { id, of: new ExecIdentity({ ...options, plugin, signal, onRun }) };
    }
    return this.#exec.of;
  }
}

function sourceNow(source: CredentialsOptions['source']): IdentitySource {
  try {
    return source();
  } catch (error) {
    if (error instanceof KubeflectError) throw error;
    throw credentialsFailure(`the connection could not be had: ${namesOf(error)}`);
  }
}

async function headersOf({ headers = {} }: IdentitySource, isRefused: boolean): Promise<HeaderFields> {
  if (typeof headers !== 'function') return headers;
  try {
    const fields = await headers({ isRefused });
    if (typeof fields === 'object' && fields !== null) return fields;
  } catch (error) {
    throw credentialsFailure(`the function that gives the headers failed: ${namesOf(error)}`);
  }
  throw credentialsFailure('the function that gives the headers gave none');
}

async function providedIdentity({ identity }: IdentitySource, isRefused: boolean): Promise<Identity> {
  try {
    return (await identity?.({ isRefused })) ?? {};
  } catch (error) {
    if (error instanceof KubeflectError) throw error;
    throw credentialsFailure(`the credentials could not be had: ${namesOf(error)}`);
  }
}

/** What HTTP can carry in a value: nothing that could begin another line. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Names in lower case, so that the later one wins however it is written. */
function merged(...parts: readonly HeaderFields[]): HeaderFields {
  const entries = parts.flatMap((part) => Object.entries(part));
  for (const [name, value] of entries) {
    const isCarried = [value].flat().every((one) => typeof one === 'string' && VALUE.test(one));
    if (!NAME.test(name) || !isCarried) {
      throw credentialsFailure(
        'a header has a name or a value that HTTP cannot carry; tokens are one line of ASCII',
      );
    }
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
