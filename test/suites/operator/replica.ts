import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { ROOT } from '../../support/source/source-files.js';

const EXAMPLE = join(ROOT, 'examples/api-token-operator');
/** Starts of processes, syncs and take-overs on a busy machine. */
const PATIENCE = { timeout: 90_000, interval: 50 };

/** The operator, compiled as its Dockerfile does. Inside the project, where `kubeflect` is the built package. */
export class OperatorProgram implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async compile(): Promise<OperatorProgram> {
    mkdirSync(join(ROOT, 'dist-test'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'dist-test', 'operator-'));
    const [, flags = ''] =
      /npx tsc (.*) --outDir/.exec(readFileSync(join(EXAMPLE, 'Dockerfile'), 'utf8')) ?? [];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const main = join(EXAMPLE, 'main.ts');
    await promisify(execFile)(
      process.execPath,
      [tsc, '--ignoreConfig', ...flags.split(' '), '--outDir', folder, main],
      { cwd: EXAMPLE },
    ).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
    return new OperatorProgram(folder);
  }

  start(kubeConfigFile: string, namespace: string): Replica {
    const env = {
      ...process.env,
      KUBECONFIG: kubeConfigFile,
      POD_NAMESPACE: namespace,
      HOST: '127.0.0.1',
      PORT: '0',
    };
    return new Replica(spawn(process.execPath, [join(this.#folder, 'main.js')], { env }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true });
  }
}

/** One process of the operator. */
export class Replica {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #printed = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        this.#printed += String(data);
      });
    }
  }

  get printed(): string {
    return this.#printed;
  }

  get isLeading(): boolean {
    return this.#printed.includes('leading\n');
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when its caches have synced. */
  async synced(): Promise<void> {
    await expect.poll(() => this.#printed, PATIENCE).toContain('synced, http');
  }

  async leads(): Promise<void> {
    await expect.poll(() => this.isLeading, PATIENCE).toBe(true);
  }

  /** Of one of its endpoints. */
  async get(path: string): Promise<string> {
    const [, url = ''] = /synced, (http\S+)/.exec(this.#printed) ?? [];
    return (await fetch(url + path)).text();
  }

  /** Resolves with the exit code and the signal that ended it. */
  async kill(signal: NodeJS.Signals): Promise<unknown[]> {
    if (!this.hasExited) this.#child.kill(signal);
    return this.#exited;
  }
}
