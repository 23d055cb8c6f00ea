import type { Clock, WallTime } from '../../util/clock.js';
import type { KubeflectError } from '../../util/errors.js';
import type { Identity } from '../connection-source.js';
import { renewalTimeMs } from '../credential-renewal.js';
import { credentialsFailure } from '../credentials-failure.js';
import { type ExecCluster, type ExecCredential, execInfo, parseExecCredential } from './exec-credential.js';
import type { ExecPlugin } from './exec-plugin.js';
import { type CommandOutcome, runCommand } from './run-command.js';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** A plugin that failed is not run again before this delay, which doubles with each failure. */
const INITIAL_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export interface ExecIdentityOptions {
  readonly plugin: ExecPlugin;
  readonly clock: Clock;
  readonly wallTime: WallTime;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends a run. */
  readonly signal: AbortSignal;
  /** Receives the outcome of each run. */
  readonly onRun: (outcome: CommandOutcome['type']) => void;
  /** Receives the error of a run that failed while the last credential is still valid. */
  readonly onProblem: (error: KubeflectError) => void;
}

export interface ExecRequest {
  readonly isUnauthorized: boolean;
  readonly cluster: ExecCluster;
}

/**
 * The credential of an exec plugin, kept until shortly before it expires, or until the server responds 401. Calls
 * must not overlap.
 */
export class ExecIdentity {
  readonly #options: ExecIdentityOptions;
  #cached: (ExecCredential & { readonly renewAtMs: number }) | undefined;
  #failure:
    | { readonly error: KubeflectError; readonly retryAtMs: number; readonly delayMs: number }
    | undefined;
  /** The last error that `onProblem` received. */
  #reported: unknown;

  constructor(options: ExecIdentityOptions) {
    this.#options = options;
  }

  /** Rejects with `KUBEFLECT_CREDENTIALS_FAILED`. */
  async identity({ isUnauthorized, cluster }: ExecRequest): Promise<Identity> {
    const { wallTime, onProblem } = this.#options;
    const cached = isUnauthorized ? undefined : this.#cached;
    if (cached !== undefined && wallTime() < cached.renewAtMs) return cached.identity;
    try {
      const credential = await this.#runUnlessBackingOff(cluster);
      const { expiresAtMs = Number.POSITIVE_INFINITY } = credential;
      this.#cached = { ...credential, renewAtMs: renewalTimeMs(wallTime(), expiresAtMs) };
      return credential.identity;
    } catch (error) {
      if (cached === undefined || wallTime() >= (cached.expiresAtMs ?? Number.POSITIVE_INFINITY)) throw error;
      if (error !== this.#reported) onProblem(error as KubeflectError);
      this.#reported = error;
      return cached.identity;
    }
  }

  async #runUnlessBackingOff(cluster: ExecCluster): Promise<ExecCredential> {
    const { clock } = this.#options;
    if (this.#failure !== undefined && clock.now() < this.#failure.retryAtMs) throw this.#failure.error;
    try {
      const credential = await this.#run(cluster);
      this.#failure = undefined;
      return credential;
    } catch (error) {
      const delayMs = Math.min(
        MAX_RETRY_MS,
        this.#failure === undefined ? INITIAL_RETRY_MS : this.#failure.delayMs * 2,
      );
      this.#failure = { error: error as KubeflectError, retryAtMs: clock.now() + delayMs, delayMs };
      throw error;
    }
  }

  async #run(cluster: ExecCluster): Promise<ExecCredential> {
    const { plugin, clock, environment, signal, onRun } = this.#options;
    const added = (plugin.env ?? []).map(({ name, value }) => [name, value] as const);
    const outcome = await runCommand({
      command: plugin.command,
      args: plugin.args ?? [],
      environment: {
        ...environment,
        ...Object.fromEntries(added),
        KUBERNETES_EXEC_INFO: execInfo(plugin, cluster),
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_OUTPUT_BYTES,
      clock,
      signal,
    });
    onRun(outcome.type);
    if (outcome.type !== 'done') throw credentialsFailure(describe(plugin, outcome));
    return parseExecCredential(outcome.output, plugin);
  }
}

function describe(
  { command, installHint }: ExecPlugin,
  outcome: Exclude<CommandOutcome, { type: 'done' }>,
): string {
  const plugin = `the exec plugin ${command}`;
  switch (outcome.type) {
    case 'not-started': {
      const hint = installHint && outcome.code === 'ENOENT' ? `: ${installHint}` : '';
      return `${plugin} could not be started (${outcome.code})${hint}`;
    }
    case 'failed':
      return (
        `${plugin} exited with ${outcome.exit}; the ${outcome.errorBytes} bytes that it wrote to standard error ` +
        'are not shown, because they may contain secrets: run it yourself to see them'
      );
    case 'timeout':
      return `${plugin} has not exited within ${TIMEOUT_MS} ms`;
    case 'too-much':
      return `${plugin} wrote more than ${MAX_OUTPUT_BYTES} bytes`;
    case 'stopped':
      return `${plugin} was killed, because the engine was closed`;
  }
}
