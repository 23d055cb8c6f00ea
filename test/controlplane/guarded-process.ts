/** A program that logs into a run folder and is killed with it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { RunFolder } from './run-folder.js';

export interface GuardedProcessOptions {
  /** Names the log and the file with the process id; a later process of the same name adds to the log. */
  name: string;
  program: string;
  args: readonly string[];
  folder: RunFolder;
}

/** How a program went: by itself, or because it had to be killed. */
export type StopOutcome = 'ended' | 'killed';

const LOG_TAIL_LINES = 40;

export class GuardedProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #child: ChildProcess;
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  #hasExited = false;

  constructor({ name, program, args, folder }: GuardedProcessOptions) {
    this.name = name;
    this.logFile = folder.file(`${name}.log`);
    const pidFile = folder.file(`${name}.pid`);
    const log = openSync(this.logFile, 'a');
    // The shell becomes the program: same process id, already on the watchdog's list.
    this.#child = spawn('/bin/sh', ['-c', 'echo $$ >"$0" && exec "$@"', pidFile, program, ...args], {
      cwd: folder.path,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child.unref();
    this.exited = new Promise((resolve) => {
      const onEnd = (): void => {
        this.#hasExited = true;
        rmSync(pidFile, { force: true });
        resolve();
      };
      this.#child.once('exit', onEnd);
      this.#child.once('error', onEnd);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Sends `signal` and waits; after `graceMs` without an end, SIGKILL. */
  async stop(signal: 'SIGTERM' | 'SIGKILL', graceMs: number): Promise<StopOutcome> {
    if (!this.#hasExited) {
      this.#child.ref();
      this.#child.kill(signal);
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
      await this.exited;
      clearTimeout(timer);
    }
    return this.#child.signalCode === 'SIGKILL' ? 'killed' : 'ended';
  }

  logTail(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  }
}
