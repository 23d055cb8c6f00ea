import type { Clock, WallTime } from '../../util/clock.js';
import type { KubeflectError } from '../../util/errors.js';
import type { Identity } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import { renewalTimeMs } from '../expiry.js';
import { type ExecCluster, type ExecCredential, execInfo, parseExecCredential } from './exec-credential.js';
import type { ExecPlugin } from './exec-plugin.js';
import { type CommandOutcome, runCommand } from './run-command.js';

const TIMEOUT_MS = 60_000;
const MOST_OUTPUT_BYTES = 1024 * 1024;
/** A plugin that fails is not run for every stream that would need it. */
const FIRST_FAILURE_MS = 1000;
const LONGEST_FAILURE_MS = 30_000;

export interface ExecIdentityOptions {
  readonly plugin: ExecPlugin;
  readonly clock: Clock;
  readonly wallTime: WallTime;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends a run. */
  readonly signal: AbortSignal;
  /** Told of each run. */
  readonly onRun: (outcome: CommandOutcome['type']) => void;
  /** Told if a run failed while what is kept is still good. */
  readonly onProblem: (error: KubeflectError) => void;
}

export interface ExecRequest {
  readonly isRefused: boolean;
  readonly cluster: ExecCluster;
}

/** What an exec plugin says who we are. Kept until shortly before it expires, or until the server refuses it. One call at a time. */
export class ExecIdentity {
  readonly #options: ExecIdentityOptions;
  #kept: (ExecCredential & { readonly renewAtMs: number }) | undefined;
  #failure: { readonly error: KubeflectError; readonly untilMs: number; readonly waitMs: number } | undefined;

  /** The last failure that was told. */
  #told: unknown;

  constructor(options: ExecIdentityOptions) {
    this.#options = options;
  }

  /** Rejects with `KUBEFLECT_CREDENTIALS_FAILED`. */
  async identity({ isRefused, cluster }: ExecRequest): Promise<Identity> {
    const { wallTime, onProblem } = this.#options;
    const kept = isRefused ? undefined : this.#kept;
    if (kept !== undefined && wallTime() < kept.renewAtMs) return kept.identity;
    try {
      const credential = await this.#runUnlessFailed(cluster);
      const { expiresAtMs = Number.POSITIVE_INFINITY } = credential;
      this.#kept = { ...credential, renewAtMs: renewalTimeMs(wallTime(), expiresAtMs) };
      return credential.identity;
    } catch (error) {
      if (kept === undefined || wallTime() >= (kept.expiresAtMs ?? Number.POSITIVE_INFINITY)) throw error;
      if (error !== this.#told) onProblem(error as KubeflectError);
      this.#told = error;
      return kept.identity;
    }
  }

  async #runUnlessFailed(cluster: ExecCluster): Promise<ExecCredential> {
    const { clock } = this.#options;
    if (this.#failure !== undefined && clock.now() < this.#failure.untilMs) throw this.#failure.error;
    try {
      const credential = await this.#run(cluster);
      this.#failure = undefined;
      return credential;
    } catch (error) {
      const waitMs = Math.min(LONGEST_FAILURE_MS, (this.#failure?.waitMs ?? FIRST_FAILURE_MS / 2) * 2);
      this.#failure = { error: error as KubeflectError, untilMs: clock.now() + waitMs, waitMs };
      throw error;
    }
  }

  async #run(cluster: ExecCluster): Promise<ExecCredential> {
    const { plugin, clock, environment, signal, onRun } = this.#options;
    const own = (plugin.env ?? []).map(({ name, value }) => [name, value] as const);
    const outcome = await runCommand({
      command: plugin.command,
      args: plugin.args ?? [],
      environment: {
        ...environment,
        ...Object.fromEntries(own),
        KUBERNETES_EXEC_INFO: execInfo(plugin, cluster),
      },
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_OUTPUT_BYTES,
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
        `${plugin} ended with ${outcome.exit}; the ${outcome.errorBytes} bytes that it wrote to standard error are not ` +
        'repeated here, since they may hold secrets: run it yourself to see them'
      );
    case 'timeout':
      return `${plugin} has not ended within ${TIMEOUT_MS} ms`;
    case 'too-much':
      return `${plugin} wrote more than ${MOST_OUTPUT_BYTES} bytes`;
    case 'stopped':
      return `${plugin} was ended, because the engine is closed`;
  }
}
