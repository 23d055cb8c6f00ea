/** The temporary folder of one control plane; when this process ends, in whatever way, it and its programs go. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A shell that waits for the end of its standard input, whose other end only we hold: the kernel closes it even after
 * SIGKILL. Renaming the folder first makes the end sure: a program that is being started at that moment writes its
 * process id into the folder before it becomes the program (see guarded-process.ts), so either it is on the list or it
 * cannot write and never runs.
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
    // In a session of its own, so that Ctrl-C in a terminal reaches us and not the watchdog.
    this.#watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'kubeflect-watchdog', this.path], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#watchdog.unref();
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Kills what still runs in it and removes it. */
  async remove(): Promise<void> {
    if (this.#watchdog.exitCode !== null || this.#watchdog.signalCode !== null) return;
    this.#watchdog.ref();
    const ended = once(this.#watchdog, 'exit');
    this.#watchdog.stdin?.end();
    await ended;
  }
}
