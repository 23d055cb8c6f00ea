/**
 * A process that is kept running and called, one call at a time: a script that calls `serveCalls`, or a program in
 * another language that gets and answers calls as lines of JSON.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { DrivenCalls } from '../contenders/driven.js';
import type { InformerCalls } from '../contenders/kubeflect-driven.js';
import { sharedClockMs } from '../contenders/recording.js';
import type { CallMessage, Calls } from '../contenders/serve-calls.js';
import type { Digest } from '../contenders/task.js';
import { CONTENDERS_FOLDER } from './contenders.js';

type Details<C, K extends keyof C> = C[K] extends (details: infer D) => unknown ? D : never;
type Result<C, K extends keyof C> = C[K] extends (...args: never[]) => Promise<infer R> ? R : never;

interface Channel {
  readonly child: ChildProcess;
  send(message: CallMessage): void;
  /** The result of the call that was sent last. */
  received(signal: AbortSignal): Promise<unknown>;
}

export class DrivenProcess<C extends Calls<C>> {
  /** By sharedClockMs. */
  readonly startedAtMs: number;
  readonly #name: string;
  readonly #channel: Channel;

  private constructor(name: string, start: () => Channel) {
    this.#name = name;
    this.startedAtMs = sharedClockMs();
    this.#channel = start();
  }

  static ofScript<C extends Calls<C>>(file: URL): DrivenProcess<C> {
    return new DrivenProcess<C>(file.pathname.split('/').at(-1) ?? '', () => {
      // Advanced: typed arrays are sent as they are.
      const child = fork(file, [], { serialization: 'advanced' });
      return {
        child,
        send: (message) => child.send(message),
        received: async (signal) => (await once(child, 'message', { signal }))[0],
      };
    });
  }

  static ofProgram<C extends Calls<C>>(name: string, program: string): DrivenProcess<C> {
    return new DrivenProcess<C>(name, () => {
      const child = spawn(program, ['driven'], { stdio: ['pipe', 'pipe', 'inherit'] });
      // A program that has exited is reported by its exit code.
      child.stdin.on('error', () => undefined);
      const lines = createInterface(child.stdout);
      return {
        child,
        send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
        received: async (signal) => JSON.parse((await once(lines, 'line', { signal }))[0]) as unknown,
      };
    });
  }

  get processId(): number {
    const { pid } = this.#channel.child;
    if (pid === undefined) throw new Error(`${this.#name} was not started`);
    return pid;
  }

  async call<K extends keyof C & string>(call: K, details: Details<C, K> & object): Promise<Result<C, K>> {
    const { child, send, received } = this.#channel;
    const settled = new AbortController();
    try {
      const result = received(settled.signal);
      const failed = Promise.race([
        once(child, 'exit', { signal: settled.signal }).then(([code]) => {
          throw new Error(`${this.#name} exited with code ${code}`);
        }),
        once(child, 'error', { signal: settled.signal }),
      ]);
      send({ call, details });
      // The child answers with the result of this call: both sides use the same C.
      return (await Promise.race([result, failed])) as Result<C, K>;
    } finally {
      settled.abort();
    }
  }

  async end(): Promise<void> {
    const { child, send } = this.#channel;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    send({ call: 'end', details: {} });
    await exit;
  }
}

export type DrivenContender = DrivenProcess<Pick<DrivenCalls, keyof DrivenCalls>>;
export type DrivenInformer = DrivenProcess<InformerCalls>;

/** `contenders` is the folder of the compiled programs, of this or of another commit. */
export function startDrivenInformer(contenders: URL = CONTENDERS_FOLDER): DrivenInformer {
  return DrivenProcess.ofScript(new URL('kubeflect-driven.js', contenders));
}

/** Throws unless the contender's cache equals the server's objects. */
export async function expectEqual(contender: Pick<DrivenContender, 'call'>, expected: Digest): Promise<void> {
  const actual = await contender.call('digest', {});
  if (actual.count !== expected.count || actual.digest !== expected.digest) {
    throw new Error(
      `the cache has ${actual.count} objects and digest ${actual.digest}, expected ${expected.count} and ${expected.digest}`,
    );
  }
}
