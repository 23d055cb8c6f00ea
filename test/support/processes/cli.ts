import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from '../source/source-files.js';

const MAIN = join(ROOT, 'dist/src/cli/main.js');

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs the `kubeflect` command. It is killed at the end of the test. */
export class Cli {
  stdout = '';
  stderr = '';
  readonly exited: Promise<CliResult>;
  readonly #process: ChildProcess;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, NO_COLOR: '1', KUBECONFIG: '/nonexistent/kubeconfig', ...environment };
    this.#process = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.#process.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.exited = new Promise((resolve) => {
      this.#process.once('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
    onTestFinished(async () => {
      this.#process.kill('SIGKILL');
      await this.exited;
    });
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#process.kill('SIGINT');
  }

  /** Closes the reading end of its output, as `head` does. */
  closeOutput(): void {
    this.#process.stdout?.destroy();
  }
}

export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  return new Cli(args, environment).exited;
}
