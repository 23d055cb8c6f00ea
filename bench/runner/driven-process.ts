/** A process that is kept running and called, one call at a time. Its file calls `serveCalls`. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { InformerCalls } from '../contenders/kubeflect-driven.js';
import type { Calls } from '../contenders/serve-calls.js';
import type { Digest } from '../contenders/task.js';
import { CONTENDERS_FOLDER } from './contenders.js';

type Details<C, K extends keyof C> = C[K] extends (details: infer D) => unknown ? D : never;
type Result<C, K extends keyof C> = C[K] extends (...args: never[]) => Promise<infer R> ? R : never;

export class DrivenProcess<C extends Calls<C>> {
  readonly #child: ChildProcess;
  readonly #name: string;

  constructor(file: URL) {
    this.#name = file.pathname.split('/').at(-1) ?? '';
    // Advanced: typed arrays are sent as they are.
    this.#child = fork(file, [], { serialization: 'advanced' });
  }

  async call<K extends keyof C & string>(call: K, details: Details<C, K>): Promise<Result<C, K>> {
    this.#child.send({ call, details });
    const settled = new AbortController();
    try {
      const [result] = await Promise.race([
        once(this.#child, 'message', { signal: settled.signal }),
        once(this.#child, 'exit', { signal: settled.signal }).then(([code]) => {
          throw new Error(`${this.#name} exited with code ${code}`);
        }),
      ]);
      return result;
    } finally {
      settled.abort();
    }
  }

  async end(): Promise<void> {
    if (!this.#child.connected) return;
    const exit = once(this.#child, 'exit');
    this.#child.send({ call: 'end', details: {} });
    await exit;
  }
}

export type DrivenInformer = DrivenProcess<InformerCalls>;

/** `contenders` is the folder of the compiled programs, of this or of another commit. */
export function startDrivenInformer(contenders: URL = CONTENDERS_FOLDER): DrivenInformer {
  return new DrivenProcess(new URL('kubeflect-driven.js', contenders));
}

/** Throws unless the informer's cache equals the server's objects. */
export async function expectEqual(informer: DrivenInformer, expected: Digest): Promise<void> {
  const actual = await informer.call('digest', {});
  if (actual.count !== expected.count || actual.digest !== expected.digest) {
    throw new Error(
      `the cache has ${actual.count} objects and digest ${actual.digest}, expected ${expected.count} and ${expected.digest}`,
    );
  }
}
