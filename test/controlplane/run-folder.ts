/** The temporary folder of a control plane; when this process exits for any reason, the folder and its programs are removed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A shell that waits for the end of its standard input, whose other end only this process holds: the kernel closes it
 * even after SIGKILL. Renaming the folder first avoids a race: a program that is being started writes its process id into
 * the folder before it executes (see guarded-process.ts), so it is either on the list, or cannot write and never runs.
 */
const WATCHDOG = `
while read -r _; do :; done
mv "$1" "$1.ended"
for file in "$1.ended"/*.pid; do
  [ -f "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
done
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1.ended" 2>/dev/null && break
  sleep 0.2
done
`;

export class RunFolder {
  readonly path: string;
  readonly #watchdog: ChildProcess;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'kubeflect-controlplane-'));
    // In its own session, so that Ctrl-C in a terminal reaches this process and not the watchdog.
    this.#watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'kubeflect-watchdog', this.path], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#watchdog.unref();
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Kills the programs that still run, and removes the folder. */
  async remove(): Promise<void> {
    if (this.#watchdog.exitCode !== null || this.#watchdog.signalCode !== null) return;
    this.#watchdog.ref();
    const ended = once(this.#watchdog, 'exit');
    this.#watchdog.stdin?.end();
    await ended;
  }
}
