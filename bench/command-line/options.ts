/** Typed command-line options: a case declares them, and gets their parsed values. `pageSize` is `--page-size`. */
import { parseArgs } from 'node:util';

export interface Option<T> {
  readonly type: 'string' | 'boolean';
  /** Throws a TypeError that says what was expected. */
  parse(values: readonly string[], flag: string): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Values<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

interface Limits {
  readonly min: number;
}

/** A whole number. */
export function count(defaultValue: number, { min }: Limits = { min: 1 }): Option<number> {
  return {
    type: 'string',
    parse: ([value], flag) => (value === undefined ? defaultValue : whole(value, flag, min)),
  };
}

export function optionalCount({ min }: Limits = { min: 1 }): Option<number | undefined> {
  return {
    type: 'string',
    parse: ([value], flag) => (value === undefined ? undefined : whole(value, flag, min)),
  };
}

/** Whole numbers, separated by commas. */
export function counts(defaultValue: readonly number[]): Option<readonly number[]> {
  return {
    type: 'string',
    parse: ([value], flag) =>
      value === undefined ? defaultValue : value.split(',').map((part) => whole(part, flag, 1)),
  };
}

/** Whole numbers, separated by commas; `max` is infinite. */
export function rates(defaultValue: readonly number[]): Option<readonly number[]> {
  return {
    type: 'string',
    parse: ([value], flag) =>
      value === undefined
        ? defaultValue
        : value.split(',').map((part) => (part === 'max' ? Infinity : whole(part, flag, 1))),
  };
}

export function string(defaultValue: string): Option<string> {
  return { type: 'string', parse: ([value]) => value ?? defaultValue };
}

export function optionalString(): Option<string | undefined> {
  return { type: 'string', parse: ([value]) => value };
}

/** Strings, separated by commas or in several options of the same name. */
export function strings(): Option<readonly string[]> {
  return { type: 'string', parse: (values) => values.flatMap((value) => value.split(',')) };
}

export function choice<const T extends string>(choices: readonly T[]): Option<T | undefined> {
  return {
    type: 'string',
    parse: ([value], flag) => (value === undefined ? undefined : chosen(value, flag, choices)),
  };
}

export function flag(): Option<boolean> {
  return { type: 'boolean', parse: (values) => values.length > 0 };
}

/** The options that all cases have. */
export const COMMON = {
  rounds: count(3),
  warmUp: count(1, { min: 0 }),
  json: optionalString(),
  html: optionalString(),
  docs: flag(),
};

/** Parses arguments, or prints what is wrong with them, with `help`, and exits with code 2. */
export function parseOptions<O extends Options>(
  args: readonly string[],
  options: O,
  help: string,
): Values<O> {
  try {
    return parse(args, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

function parse<O extends Options>(args: readonly string[], options: O): Values<O> {
  const declared = Object.entries(options).map(
    ([name, { type }]) => [flagOf(name), { type, multiple: true }] as const,
  );
  const { values } = parseArgs({ args: [...args], options: Object.fromEntries(declared) });
  const parsed = Object.entries(options).map(([name, option]) => {
    const given = values[flagOf(name)] ?? [];
    return [name, option.parse((Array.isArray(given) ? given : [given]).map(String), flagOf(name))];
  });
  return Object.fromEntries(parsed) as Values<O>;
}

function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function whole(value: string, flagName: string, min: number): number {
  if (!/^\d+$/.test(value) || Number(value) < min)
    throw new TypeError(`--${flagName} must be a whole number from ${min}, got ${JSON.stringify(value)}`);
  return Number(value);
}

function chosen<T extends string>(value: string, flagName: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === value);
  if (found === undefined)
    throw new TypeError(`--${flagName} must be one of ${choices.join(', ')}, got ${JSON.stringify(value)}`);
  return found;
}
