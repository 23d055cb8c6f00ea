import { KubeflectError } from './errors.js';

/** What one option may be. `fallback` is asked when the option is absent, so that nothing is shared between two owners. */
export interface Rule<T> {
  readonly fallback: () => T;
  /** Completes "… must be": `a whole number from 0 to 64`. */
  readonly expected: string;
  accepts(value: unknown): boolean;
}

export type Rules<R> = { readonly [K in keyof R]-?: Rule<R[K]> };

/** Fills in defaults and freezes; never changes its input. Throws `KUBEFLECT_OPTION_INVALID`, naming the option. */
export function resolveOptions<R extends object>(owner: string, rules: Rules<R>, given: object): Readonly<R> {
  if (typeof given !== 'object' || given === null) {
    throw invalidOption(owner, `options must be an object, got ${described(given)}`);
  }
  const values = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(rules, name)) {
      throw invalidOption(owner, `there is no option ${name}; known are ${Object.keys(rules).join(', ')}`);
    }
  }
  const entries = Object.entries(rules as Rules<Record<string, unknown>>).map(([name, rule]) => {
    const value = values[name];
    if (value === undefined) return [name, rule.fallback()];
    if (rule.accepts(value)) return [name, value];
    throw invalidOption(owner, `${name} must be ${rule.expected}, got ${described(value)}`);
  });
  return Object.freeze(Object.fromEntries(entries)) as R;
}

export function invalidOption(owner: string, message: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_OPTION_INVALID', `${owner}: ${message}`);
}

/** Never the value itself if it could hold a secret or be long. */
function described(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'string') return value.length > 60 ? 'a longer text' : JSON.stringify(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

export function wholeNumber<F extends number | undefined>(
  fallback: F | (() => F),
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): Rule<number | F> {
  return {
    fallback: typeof fallback === 'function' ? fallback : () => fallback,
    expected: `a whole number of at least ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

/** Milliseconds. */
export function duration(fallbackMs: number, leastMs = 0): Rule<number> {
  return {
    fallback: () => fallbackMs,
    expected: `milliseconds, at least ${leastMs}`,
    accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= leastMs,
  };
}

export function flag(fallback: boolean): Rule<boolean> {
  return {
    fallback: () => fallback,
    expected: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  };
}

export function oneOf<T extends string>(fallback: T, values: readonly T[]): Rule<T> {
  return {
    fallback: () => fallback,
    expected: `one of ${values.join(', ')}`,
    accepts: (value) => values.includes(value as T),
  };
}

export function text<F extends string | undefined>(
  fallback: F,
  pattern: RegExp = /./,
  expected = 'a text',
): Rule<string | F> {
  return {
    fallback: () => fallback,
    expected,
    accepts: (value) => typeof value === 'string' && pattern.test(value),
  };
}

export function texts(fallback: readonly string[], expected: string): Rule<readonly string[]> {
  return {
    fallback: () => fallback,
    expected,
    accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  };
}

/** No default, and no way around it. */
export function required<T>(rule: Rule<T | undefined>): Rule<T> {
  return { ...rule, fallback: () => undefined as T, accepts: (value) => rule.accepts(value) };
}

export function callback<T extends (...values: never[]) => unknown>(): Rule<T | undefined> {
  return {
    fallback: () => undefined,
    expected: 'a function',
    accepts: (value) => typeof value === 'function',
  };
}

/** Anything that is an object; what is in it is checked elsewhere. */
export function object<T extends object>(expected: string): Rule<T | undefined> {
  return {
    fallback: () => undefined,
    expected,
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  };
}
