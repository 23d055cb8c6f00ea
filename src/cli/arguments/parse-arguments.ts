import { parseArgs } from 'node:util';

/** The command line is invalid: the help is printed, and the exit code is 2. */
export class UsageError extends Error {}

/** One option of a command. Both the parser and `--help` are made from it. */
export interface OptionRow {
  readonly short?: string;
  /** The placeholder of its value in the help. A flag has none. */
  readonly value?: string;
  readonly default?: string;
  readonly isMultiple?: boolean;
  readonly help: string;
}

/** By long name. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

export interface ParsedArguments {
  readonly positionals: readonly string[];
  string(name: string): string | undefined;
  strings(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Throws a `UsageError`. */
export function parseArguments(
  args: readonly string[],
  table: OptionTable,
  maxPositionals = 0,
): ParsedArguments {
  const { values, positionals } = parse(args, table);
  if (positionals.length > maxPositionals) {
    throw new UsageError(`unexpected argument '${positionals[maxPositionals]}'`);
  }
  return {
    positionals,
    string(name) {
      const value = values[name] ?? table[name]?.default;
      return typeof value === 'string' ? value : undefined;
    },
    strings: (name) => [values[name] ?? []].flat().map(String),
    flag: (name) => values[name] === true,
  };
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function parse(args: readonly string[], table: OptionTable): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { short, value, isMultiple = false }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isMultiple,
        ...(short && { short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(usageMessage(error as NodeJS.ErrnoException));
  }
}

/** Node's messages for the two common mistakes are several sentences of advice. */
function usageMessage({ code, message }: NodeJS.ErrnoException): string {
  const [, option = ''] = /'((?:-\w, )?-[^' ]*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `unknown option ${option}`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && /missing|ambiguous/.test(message)) {
    return `option ${option} requires a value`;
  }
  return message;
}

/** The options for the help, in aligned columns. */
export function optionLines(table: OptionTable): string {
  const help: OptionRow = { short: 'h', help: 'Print this help' };
  const rows = Object.entries({ ...table, help }).map(([name, row]) => ({
    left: [
      row.short === undefined ? '    ' : `-${row.short}, `,
      `--${name}`,
      row.value === undefined ? '' : ` <${row.value}>`,
    ].join(''),
    right: row.help + (row.default === undefined ? '' : ` (default: ${row.default})`),
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
