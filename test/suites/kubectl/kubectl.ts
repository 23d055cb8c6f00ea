/** Runs kubectl with a home and discovery cache of its own, so that runs do not see each other's servers. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface KubectlResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface KubectlOptions {
  program: string;
  /** Path of a kubeconfig file. */
  kubeConfig: string;
  namespace?: string;
}

/** No command of ours takes longer; a hung one should show its output before the test's own limit. */
const COMMAND_TIMEOUT_MS = 60_000;

export class Kubectl {
  readonly #options: KubectlOptions;
  readonly #home: string;

  constructor(options: KubectlOptions) {
    this.#options = options;
    this.#home = mkdtempSync(join(tmpdir(), 'kubeflect-kubectl-'));
  }

  /** Standard output of a command that must succeed; `input`, if given, is its standard input. */
  async run(args: readonly string[], input?: string): Promise<string> {
    const result = await this.attempt(args, input);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')} ended with ${result.code}: ${result.stderr}`);
    return result.stdout;
  }

  async json<T>(args: readonly string[], input?: string): Promise<T> {
    return JSON.parse(await this.run([...args, '-o', 'json'], input)) as T;
  }

  /** A command that may fail. */
  async attempt(args: readonly string[], input?: string): Promise<KubectlResult> {
    const child = spawn(this.#options.program, this.#arguments(args), {
      env: this.#environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: COMMAND_TIMEOUT_MS,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, stdout, stderr };
  }

  /** A command that runs until it is stopped, such as `get -w`. */
  start(args: readonly string[]): RunningKubectl {
    return new RunningKubectl(
      spawn(this.#options.program, this.#arguments(args), {
        env: this.#environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #arguments(args: readonly string[]): string[] {
    const { namespace } = this.#options;
    return namespace === undefined ? [...args] : ['--namespace', namespace, ...args];
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.#home,
      KUBECACHEDIR: join(this.#home, 'cache'),
      KUBECONFIG: this.#options.kubeConfig,
    };
  }
}

export class RunningKubectl {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #output = '';

  constructor(child: ChildProcessByStdio<null, Readable, Readable>) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Returns the output when `pattern` is found in it. */
  async waitFor(pattern: RegExp, timeoutMs = 20_000): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMs);
    while (!pattern.test(this.#output)) {
      const failure = new Error(`kubectl did not print ${pattern} in ${timeoutMs} ms but:\n${this.#output}`);
      if (this.#child.exitCode !== null) throw failure;
      await once(this.#child.stdout, 'data', { signal }).catch(() => {
        throw failure;
      });
    }
    return this.#output;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill();
    await closed;
  }
}
