/** A process that is kept running and asked things, one at a time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { withIdentity } from './identity.mjs';

export class Driven {
  #child;
  #name;

  /** `file` is relative to this folder. */
  constructor(file) {
    this.#name = file;
    // Advanced: arrays of numbers travel as they are.
    this.#child = fork(new URL(file, import.meta.url), [], { serialization: 'advanced' });
  }

  async ask(ask, details = {}) {
    this.#child.send({ ask, ...withIdentity(details) });
    const ended = new AbortController();
    try {
      const [answer] = await Promise.race([
        once(this.#child, 'message', { signal: ended.signal }),
        once(this.#child, 'exit', { signal: ended.signal }).then(([code]) => {
          throw new Error(`${this.#name} ended with ${code}`);
        }),
      ]);
      return answer;
    } finally {
      ended.abort();
    }
  }

  async end() {
    if (!this.#child.connected) return;
    const exit = once(this.#child, 'exit');
    this.#child.send({ ask: 'end' });
    await exit;
  }
}

export const INFORMER = 'contenders/kubeflect-driven.mjs';

/** Throws unless the informer's cache is what the server has. */
export async function expectEqual(informer, server, type = { apiVersion: 'v1', kind: 'Pod' }) {
  const [has, expected] = [await informer.ask('digest'), await server.digest(type)];
  if (has.count !== expected.count || has.digest !== expected.digest)
    throw new Error(
      `the cache holds ${has.count} objects and another digest than the server's ${expected.count}`,
    );
}
