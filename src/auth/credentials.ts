import { type Clock, systemClock, systemWallTime, type WallTime } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import type { ConnectionSettings, HeaderFields, TlsSettings } from '../wire/connection-settings.js';
import type { Identity, IdentitySource } from './connection-source.js';
import { CredentialFiles } from './credential-files.js';
import { CredentialRenewal } from './credential-renewal.js';
import { credentialsFailure, namesOf } from './credentials-failure.js';
import { ExecIdentity } from './exec/exec-identity.js';
import type { ExecPlugin } from './exec/exec-plugin.js';
import { proxyOf } from './proxy.js';

/** Why the settings are new: they are the first; something has changed or expired; the server responded 401. */
export type RefreshReason = 'first' | 'changed' | 'unauthorized';

export interface CredentialsOptions {
  /** Called whenever settings are read. */
  readonly source: () => IdentitySource;
  readonly clock?: Clock;
  readonly wallTime?: WallTime;
  /** For exec plugins, and for the proxy variables. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Receives errors that leave the last valid credentials in use. */
  readonly onProblem?: (error: KubeflectError) => void;
  readonly onRefresh?: (reason: RefreshReason) => void;
  /** Receives the outcome of each run of an exec plugin. */
  readonly onExecRun?: (outcome: string) => void;
  /** Called once if the server's certificate is not verified. */
  readonly onInsecure?: (server: string) => void;
}

let instances = 0;

/** The current connection settings of an engine. Settings that have not changed are the same object. */
export class Credentials {
  readonly #options: Required<CredentialsOptions>;
  readonly #origin = `credentials-${++instances}`;
  readonly #renewal: CredentialRenewal<ConnectionSettings>;
  #files: { readonly id: string; readonly reader: CredentialFiles } | undefined;
  #exec: { readonly id: string; readonly plugin: ExecIdentity } | undefined;
  readonly #closed = new AbortController();
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
    this.#renewal = new CredentialRenewal({
      clock: this.#options.clock,
      load: (isUnauthorized, current) => this.#load(isUnauthorized, current),
    });
  }

  /** Rejects with `KUBEFLECT_CREDENTIALS_FAILED` if there are none, or with the error of the source. */
  current(): Promise<ConnectionSettings> {
    return this.#renewal.current();
  }

  /** The server has accepted these settings. */
  accepted(settings: ConnectionSettings): void {
    this.#renewal.accepted(settings);
  }

  /** Others than these, to which the server responded 401; undefined if there are none. Rejects as `current`. */
  renewed(rejected: ConnectionSettings): Promise<ConnectionSettings | undefined> {
    return this.#renewal.renewed(rejected);
  }

  /** Ends a running plugin. */
  close(): void {
    this.#closed.abort();
  }

  async #load(isUnauthorized: boolean, current: ConnectionSettings | undefined): Promise<ConnectionSettings> {
    const source = readSource(this.#options.source);
    const { server, compression } = source;
    const proxyUrl = proxyOf(server, source.proxyUrl, this.#options.environment);
    const files = this.#filesOf(source);
    const [tls, token, headers] = await Promise.all([
      files.tls(isUnauthorized),
      files.token(isUnauthorized),
      headersOf(source, isUnauthorized),
    ]);
    const identity = await this.#identity(source, tls, isUnauthorized);
    const { headers: identityHeaders = {}, ...pair } = identity;
    const tokenHeader = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const settings: ConnectionSettings = {
      server,
      // A copy: the program may change its own object, which has to count as a change.
      headers: structuredClone(mergeHeaders(headers, identityHeaders, tokenHeader)),
      tls: { ...tls, ...pair },
      origin: this.#origin,
      ...(proxyUrl && { proxyUrl }),
      ...(compression && { compression }),
    };
    if (current !== undefined && JSON.stringify(settings) === JSON.stringify(current)) return current;
    this.#options.onRefresh(current === undefined ? 'first' : isUnauthorized ? 'unauthorized' : 'changed');
    this.#warnIfInsecure(settings);
    return settings;
  }

  #identity(source: IdentitySource, tls: TlsSettings, isUnauthorized: boolean): Promise<Identity> {
    const { exec, server, compression, proxyUrl } = source;
    if (exec === undefined) return providedIdentity(source, isUnauthorized);
    const cluster = { server, tls, ...(compression && { compression }), ...(proxyUrl && { proxyUrl }) };
    return this.#execOf(exec, server).identity({ isUnauthorized, cluster });
  }

  #warnIfInsecure({ tls, server }: ConnectionSettings): void {
    if (tls?.insecureSkipVerify !== true || !server.startsWith('https:') || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.onInsecure(server);
  }

  /**
   * Kept while the source names the same files: the last valid credentials of one server or user are not shown to
   * another.
   */
  #filesOf({ server, tls, tokenFile }: IdentitySource): CredentialFiles {
    const id = JSON.stringify([server, tls, tokenFile]);
    if (this.#files?.id !== id) {
      const paths = { ...(tls && { tls }), ...(tokenFile && { tokenFile }) };
      this.#files = { id, reader: new CredentialFiles(paths, this.#options.onProblem) };
    }
    return this.#files.reader;
  }

  #execOf(plugin: ExecPlugin, server: string): ExecIdentity {
    const id = JSON.stringify([server, plugin]);
    if (this.#exec?.id !== id) {
      const { onExecRun: onRun, ...options } = this.#options;
      const signal = this.#closed.signal;
      this.#exec = { id, plugin: new ExecIdentity({ ...options, plugin, signal, onRun }) };
    }
    return this.#exec.plugin;
  }
}

function readSource(source: CredentialsOptions['source']): IdentitySource {
  try {
    return source();
  } catch (error) {
    if (error instanceof KubeflectError) throw error;
    throw credentialsFailure(`the connection function failed: ${namesOf(error)}`);
  }
}

async function headersOf({ headers = {} }: IdentitySource, isUnauthorized: boolean): Promise<HeaderFields> {
  if (typeof headers !== 'function') return headers;
  try {
    const fields = await headers({ isUnauthorized });
    if (typeof fields === 'object' && fields !== null) return fields;
  } catch (error) {
    throw credentialsFailure(`the headers function failed: ${namesOf(error)}`);
  }
  throw credentialsFailure('the headers function did not return an object');
}

async function providedIdentity({ identity }: IdentitySource, isUnauthorized: boolean): Promise<Identity> {
  try {
    return (await identity?.({ isUnauthorized })) ?? {};
  } catch (error) {
    if (error instanceof KubeflectError) throw error;
    throw credentialsFailure(`the credentials could not be read: ${namesOf(error)}`);
  }
}

/** Characters that a header may have; none that could start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Names are lowercased, so that later headers replace earlier ones however they are spelled. */
function mergeHeaders(...parts: readonly HeaderFields[]): HeaderFields {
  const entries = parts.flatMap((part) => Object.entries(part));
  for (const [name, value] of entries) {
    const isValid = [value].flat().every((one) => typeof one === 'string' && HEADER_VALUE.test(one));
    if (!HEADER_NAME.test(name) || !isValid) {
      throw credentialsFailure(
        'the name or value of a header has invalid characters; tokens must be one line of ASCII',
      );
    }
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
