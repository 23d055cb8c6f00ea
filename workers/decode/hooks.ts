import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StreamFailure } from '../stream-failure.js';

/**
 * The user's functions for one stream, as its hooks module exports them:
 *
 *     export function transform(object) { return … }                     replaces the object; same name and version
 *     export const indexes = { byImage: (object) => […] };               string values of an index
 *     export function check(object) { return object.spec !== undefined } a type guard
 *     export const check = z.object({ … });                              or any Standard Schema validator
 *
 * What these throw or reject, and wrong results, become an exception with our own message, for that object only.
 */
export class Hooks {
  readonly #module: HooksModule;
  readonly #indexes: readonly (readonly [name: string, index: IndexHook])[];

  /** Throws a `StreamFailure` if the module does not have one of the indexes. */
  constructor(module: HooksModule, indexNames: readonly string[]) {
    this.#module = module;
    this.#indexes = indexNames.map((name) => {
      const index = module.indexes.get(name);
      if (index === undefined) throw failure(`the hooks module has no index ${JSON.stringify(name)}`);
      return [name, index];
    });
  }

  check(object: object): void {
    const { check } = this.#module;
    if (check === undefined) return;
    const problem = call('check', () => check(object));
    if (problem !== undefined)
      throw new Error(`check rejected the object: ${problem.slice(0, MAX_MESSAGE_LENGTH)}`);
  }

  transform(object: object): object {
    const { transform } = this.#module;
    if (transform === undefined) return object;
    const identity = identityOf(object);
    const result = call('transform', () => transform(object));
    if (isPromise(result)) throw new Error('transform returned a promise; it must be synchronous');
    if (typeof result !== 'object' || result === null) throw new Error('transform did not return an object');
    if (identityOf(result) !== identity) {
      throw new Error('transform changed the name, namespace, uid or resourceVersion of the object');
    }
    return result;
  }

  indexValues(object: object): readonly (readonly string[])[] {
    return this.#indexes.map(([name, index]) => {
      const values = call(`index ${name}`, () => index(object));
      if (isPromise(values)) throw new Error(`index ${name} returned a promise; it must be synchronous`);
      if (!Array.isArray(values) || values.some((value) => typeof value !== 'string')) {
        throw new Error(`index ${name} did not return an array of strings`);
      }
      return values as string[];
    });
  }
}

type IndexHook = (object: object) => unknown;

/** The exports of a module, of the right types. */
export interface HooksModule {
  readonly transform: ((object: object) => unknown) | undefined;
  readonly indexes: ReadonlyMap<string, IndexHook>;
  /** Returns what is wrong with an object, or undefined. */
  readonly check: ((object: object) => string | undefined) | undefined;
}

/** The part of https://standardschema.dev that is used. */
interface StandardSchema {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

/** Longer messages of hooks are truncated. */
const MAX_MESSAGE_LENGTH = 500;

/** The hooks modules of one thread, each loaded once. */
export class HooksModules {
  readonly #modules = new Map<string, Promise<HooksModule>>();

  /** Rejects with a `StreamFailure` of type `hooks`, every time: Node caches failed modules too. */
  load(address: string): Promise<HooksModule> {
    let module = this.#modules.get(address);
    if (module === undefined) {
      module = importHooks(address);
      this.#modules.set(address, module);
    }
    return module;
  }
}

async function importHooks(address: string): Promise<HooksModule> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    const url = isAbsolute(address) ? pathToFileURL(address).href : address;
    exports = (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw failure(`the hooks module ${address} cannot be loaded: ${messageOf(error)}`, error);
  }
  const { transform, indexes = {}, check } = exports;
  if (transform !== undefined && typeof transform !== 'function') {
    throw failure(`transform of the hooks module ${address} is not a function`);
  }
  if (typeof indexes !== 'object' || indexes === null) {
    throw failure(`indexes of the hooks module ${address} is not an object of functions`);
  }
  for (const [name, index] of Object.entries(indexes)) {
    if (typeof index !== 'function')
      throw failure(`index ${name} of the hooks module ${address} is not a function`);
  }
  if (check !== undefined && typeof check !== 'function' && !isStandardSchema(check)) {
    throw failure(`check of the hooks module ${address} is neither a function nor a Standard Schema`);
  }
  return {
    transform: transform as HooksModule['transform'],
    indexes: new Map(Object.entries(indexes as Record<string, IndexHook>)),
    // Checked first, because some validators are functions too.
    check: isStandardSchema(check)
      ? schemaCheck(check)
      : guardCheck(check as ((object: object) => unknown) | undefined),
  };
}

function guardCheck(guard: ((object: object) => unknown) | undefined): HooksModule['check'] {
  if (guard === undefined) return undefined;
  return (object) => {
    const result = guard(object);
    if (typeof result === 'boolean') return result ? undefined : 'it returned false';
    if (isPromise(result)) return 'it returned a promise, but must be synchronous';
    return 'it returned neither true nor false';
  };
}

function schemaCheck(schema: StandardSchema): HooksModule['check'] {
  return (object) => {
    const result = schema['~standard'].validate(object);
    if (isPromise(result)) return 'it returned a promise, but must be synchronous';
    const { issues } = result as { readonly issues?: readonly Issue[] };
    return issues === undefined ? undefined : issues.map(formatIssue).join('; ') || 'no reason given';
  };
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

function formatIssue({ message, path = [] }: Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isHolder || !('~standard' in value)) return false;
  const standard = value['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

function call<T>(name: string, hook: () => T): T {
  try {
    return hook();
  } catch (error) {
    throw new Error(`${name} threw: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, MAX_MESSAGE_LENGTH);
}

function failure(message: string, cause?: unknown): StreamFailure {
  const stack = cause instanceof Error ? cause.stack : undefined;
  return new StreamFailure({ type: 'hooks', message, ...(stack !== undefined && { stack }) });
}

/** Handles the promise's rejection, which would otherwise end the thread. */
function isPromise(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function')
    return false;
  Promise.resolve(value as PromiseLike<unknown>).catch(() => {});
  return true;
}

function identityOf(object: object): string {
  const { metadata } = object as { readonly metadata?: Readonly<Record<string, unknown>> };
  return JSON.stringify([
    metadata?.['namespace'],
    metadata?.['name'],
    metadata?.['uid'],
    metadata?.['resourceVersion'],
  ]);
}
