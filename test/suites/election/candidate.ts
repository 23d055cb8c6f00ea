import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ToxicProxy } from '../../support/servers/toxic-proxy.js';
import type { ElectionTimes } from './contest.js';

const PROGRAM = fileURLToPath(new URL('../../support/processes/candidate.mjs', import.meta.url));
const SKEWED_CLOCK = new URL('../../support/processes/skewed-clock.mjs', import.meta.url).href;

/** What a candidate reports. `isLeader`: in its own view, when it reported it. */
export interface CandidateEvent {
  readonly event: 'ready' | 'leading' | 'start' | 'end' | 'conflict' | 'unblocked' | 'lost' | 'stopped';
  readonly actor: string;
  readonly isLeader: boolean;
  readonly isAborted?: boolean;
}

export interface CandidateOptions {
  readonly identity: string;
  /** Absent: the candidate is one with a `LeaderElector`. */
  readonly clientGo: string | undefined;
  /** The server's address is replaced by that of the candidate's proxy. */
  readonly kubeConfig: string;
  readonly server: URL;
  readonly folder: string;
  readonly namespace: string;
  readonly times: ElectionTimes;
  readonly skewMs: number;
  readonly onEvent: (event: CandidateEvent) => void;
}

/** A process that competes for the Lease, behind a proxy of its own. */
export class Candidate {
  readonly identity: string;
  readonly isClientGo: boolean;
  readonly proxy: ToxicProxy;
  readonly #child: ChildProcess;
  readonly #file: string;
  stderr = '';

  private constructor(options: CandidateOptions, proxy: ToxicProxy) {
    const { identity, clientGo, kubeConfig, server, folder, namespace, times, skewMs } = options;
    this.identity = identity;
    this.isClientGo = clientGo !== undefined;
    this.proxy = proxy;
    this.#file = join(folder, `${identity}.kubeconfig`);
    const address = proxy.url.replace('http:', server.protocol);
    writeFileSync(this.#file, kubeConfig.replaceAll(server.origin, address), { mode: 0o600 });
    const ours = { kubeConfig: this.#file, namespace, lease: 'lease', log: 'log', identity, times };
    const [command, args]: [string, string[]] =
      clientGo === undefined
        ? [process.execPath, ['--import', SKEWED_CLOCK, PROGRAM, JSON.stringify(ours)]]
        : [clientGo, flags({ ...ours, kubeconfig: this.#file })];
    this.#child = spawn(command, args, {
      env: { ...process.env, KUBEFLECT_SKEW_MS: String(skewMs) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-4000);
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no standard output');
    createInterface({ input: stdout }).on('line', (line) => {
      options.onEvent(JSON.parse(line) as CandidateEvent);
    });
  }

  static async start(options: CandidateOptions): Promise<Candidate> {
    return new Candidate(options, await ToxicProxy.before(Number(options.server.port)));
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** Only of a `LeaderElector`. */
  blockFor(ms: number): void {
    this.#child.stdin?.write(`block ${ms}\n`);
  }

  /** No byte passes, in either direction. */
  partition(): void {
    this.proxy.toxics = { blackHole: true };
  }

  /** Requests arrive, and their responses do not. */
  loseResponses(): void {
    this.proxy.toxics = { blackHole: 'answers' };
  }

  heal(): void {
    this.proxy.toxics = {};
    this.proxy.drop();
  }

  async close(): Promise<void> {
    if (!this.hasExited) {
      const exited = once(this.#child, 'exit');
      this.signal('SIGKILL');
      this.signal('SIGCONT');
      await exited;
    }
    await this.proxy[Symbol.asyncDispose]();
    rmSync(this.#file, { force: true });
  }
}

function flags({
  kubeconfig,
  namespace,
  lease,
  log,
  identity,
  times,
}: {
  kubeconfig: string;
  namespace: string;
  lease: string;
  log: string;
  identity: string;
  times: ElectionTimes;
}): string[] {
  const values = {
    kubeconfig,
    namespace,
    lease,
    log,
    identity,
    'lease-duration': `${times.leaseDurationMs}ms`,
    'renew-deadline': `${times.renewDeadlineMs}ms`,
    'retry-period': `${times.retryPeriodMs}ms`,
  };
  return Object.entries(values).map(([name, value]) => `-${name}=${value}`);
}
