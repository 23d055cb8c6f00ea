import { CONTROLLER_UID_PATH, controllerUidsOf } from '../../src/kube/owner-reference.js';
import { parsePath, valuesAtPath } from '../../src/kube/path.js';
import type { Hooks } from './hooks.js';

const NO_VALUES: readonly (readonly string[])[] = [];

/**
 * Computes the values of an object for each index of a stream: first the indexes by path, then those of the hooks.
 * In WebAssembly, workers/transcoder/index-values.ts does the same for paths while it reads the document.
 */
export class IndexValues {
  readonly #paths: readonly ((object: object) => readonly string[])[];
  readonly #hooks: Hooks | undefined;

  constructor(paths: readonly string[], hooks: Hooks | undefined) {
    this.#paths = paths.map(valuesFunction);
    this.#hooks = hooks;
  }

  /** Of an object as it is kept, after drops and transform. Throws what an index function throws. */
  of(object: object): readonly (readonly string[])[] {
    const fromHooks = this.#hooks?.indexValues(object) ?? NO_VALUES;
    if (this.#paths.length === 0) return fromHooks;
    return [...this.#paths.map((valuesOf) => valuesOf(object)), ...fromHooks];
  }
}

function valuesFunction(path: string): (object: object) => readonly string[] {
  if (path === CONTROLLER_UID_PATH) return controllerUidsOf;
  const fields = parsePath(path);
  return (object) => valuesAtPath(object, fields);
}
