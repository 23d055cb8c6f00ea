import { invalidOption } from '../util/check-options.js';
import { ADD, CHANGE, CONNECT, DELETE, ERROR, UPDATE } from './informer.js';

/** The arguments depend on the verb: see `Informer`. */
export type Callback = (value: never, more: never) => unknown;

type Verb = ADD | UPDATE | DELETE | CONNECT | ERROR;

/** The callbacks of one informer, by verb. The others are called even if one throws or rejects. */
export class Callbacks {
  readonly #lists: ReadonlyMap<string, Callback[]> = new Map(
    [ADD, UPDATE, DELETE, CONNECT, ERROR].map((verb) => [verb, []]),
  );

  on(verb: string, callback: Callback): void {
    for (const list of this.#of(verb)) list.push(callback);
  }

  off(verb: string, callback: Callback): void {
    for (const list of this.#of(verb)) {
      const index = list.indexOf(callback);
      if (index !== -1) list.splice(index, 1);
    }
  }

  has(verb: Verb): boolean {
    return this.#of(verb).some((list) => list.length > 0);
  }

  /**
   * Calls all callbacks. Promises are not awaited, as in client-node: a callback may wait for something that a later
   * call brings. `onFailed` receives what was thrown, or later rejected.
   */
  call(verb: Verb, values: readonly unknown[], onFailed: (cause: unknown) => void): void {
    for (const callback of this.#of(verb).flat()) {
      try {
        const result: unknown = Reflect.apply(callback, undefined, values);
        if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(onFailed);
      } catch (cause) {
        onFailed(cause);
      }
    }
  }

  #of(verb: string): Callback[][] {
    const verbs = verb === CHANGE ? [ADD, UPDATE, DELETE] : [verb];
    return verbs.map((one) => {
      const list = this.#lists.get(one);
      if (list === undefined) {
        const known = [...this.#lists.keys(), CHANGE].join(', ');
        throw invalidOption('informer', `the verb must be one of ${known}, got ${JSON.stringify(verb)}`);
      }
      return list;
    });
  }
}
