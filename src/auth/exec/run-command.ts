import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../util/clock.js';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Maximum size of standard output. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Aborting kills the program. */
  readonly signal: AbortSignal;
}

export type CommandOutcome =
  | { readonly type: 'done'; readonly output: string }
  /** `code` as Node names it: ENOENT, EACCES. */
  | { readonly type: 'not-started'; readonly code: string }
  | { readonly type: 'failed'; readonly exit: number | string; readonly errorBytes: number }
  | { readonly type: 'timeout' | 'too-much' | 'stopped' };

/**
 * Runs a program without a shell and without standard input, and resolves with its standard output. Never rejects.
 * Standard error is counted and dropped.
 */
export function runCommand(options: Command): Promise<CommandOutcome> {
  const { command, args, environment, clock, signal } = options;
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ type: 'stopped' });
      return;
    }
    let child: ChildProcess;
    try {
      child = spawn(command, args, {
        shell: false,
        windowsHide: true,
        env: { ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      resolve({ type: 'not-started', code: codeOf(error) });
      return;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    let errorBytes = 0;
    const finish = (outcome: CommandOutcome): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(outcome);
    };
    const kill = (outcome: CommandOutcome): void => {
      child.kill('SIGKILL');
      finish(outcome);
    };
    const onAbort = (): void => kill({ type: 'stopped' });
    const timer = clock.schedule(() => kill({ type: 'timeout' }), options.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout?.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > options.maxBytes) kill({ type: 'too-much' });
    });
    child.stderr?.on('data', (piece: Buffer) => {
      errorBytes += piece.length;
    });
    child.on('error', (error) => finish({ type: 'not-started', code: codeOf(error) }));
    child.on('close', (code, killedBy) => {
      if (code === 0) finish({ type: 'done', output: Buffer.concat(pieces).toString() });
      else finish({ type: 'failed', exit: killedBy ?? code ?? 'an unknown code', errorBytes });
    });
  });
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'an unknown error';
}
