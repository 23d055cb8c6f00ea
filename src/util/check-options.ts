import { KubeflectError } from './errors.js';

/** Validates one option. `fallback` is called for an absent option, so that no default is shared between two owners. */
export interface Rule<T> {
  readonly fallback: () => T;
  /** Completes "… must be": `an integer from 0 to 64`. */
  readonly expected: string;
  /** There is no default. */
  readonly isRequired?: true;
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
      throw invalidOption(owner, `unknown option ${name}; expected one of ${Object.keys(rules).join(', ')}`);
    }
  }
  const entries = Object.entries(rules as Rules<Record<string, unknown>>).map(([name, rule]) => {
    const value = values[name];
    if (value === undefined) {
      if (rule.isRequired) throw invalidOption(owner, `${name} must be ${rule.expected}`);
      return [name, rule.fallback()];
    }
    if (rule.accepts(value)) return [name, value];
    throw invalidOption(owner, `${name} must be ${rule.expected}, got ${described(value)}`);
  });
  return Object.freeze(Object.fromEntries(entries)) as R;
}

export function invalidOption(owner: string, message: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_OPTION_INVALID', `${owner}: ${message}`);
}

/** Never the value itself if it may contain a secret or be long. */
function described(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'string')
    return value.length > 60 ? 'a string of more than 60 characters' : JSON.stringify(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

export function integer<F extends number | undefined>(
  fallback: F | (() => F),
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): Rule<number | F> {
  return {
    fallback: typeof fallback === 'function' ? fallback : () => fallback,
    expected: `an integer of at least ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${max}`}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

/** Milliseconds. */
export function duration(fallbackMs: number, minMs = 0): Rule<number> {
  return {
    fallback: () => fallbackMs,
    expected: `milliseconds, at least ${minMs}`,
    accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= minMs,
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

export function string<F extends string | undefined>(
  fallback: F,
  pattern: RegExp = /./,
  expected = 'a string',
): Rule<string | F> {
  return {
    fallback: () => fallback,
    expected,
    accepts: (value) => typeof value === 'string' && pattern.test(value),
  };
}

export function stringArray(fallback: readonly string[], expected: string): Rule<readonly string[]> {
  return {
    fallback: () => fallback,
    expected,
    accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  };
}

/** Without a default. */
export function required<T>(rule: Rule<T | undefined>): Rule<T> {
  return {
    ...rule,
    isRequired: true,
    fallback: () => undefined as T,
    accepts: (value) => rule.accepts(value),
  };
}

export function callback<T extends (...values: never[]) => unknown>(): Rule<T | undefined> {
  return {
    fallback: () => undefined,
    expected: 'a function',
    accepts: (value) => typeof value === 'function',
  };
}

/** Any object; its contents are validated elsewhere. */
export function object<T extends object>(expected: string): Rule<T | undefined> {
  return {
    fallback: () => undefined,
    expected,
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  };
}
