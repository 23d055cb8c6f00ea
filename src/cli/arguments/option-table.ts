import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.js';

/** One option of a command: what is parsed and what `--help` says come from the same line. */
export interface OptionRow {
  readonly short?: string;
  /** How its value is called in the help; a flag has none. */
  readonly value?: string;
  readonly default?: string;
  readonly isMultiple?: boolean;
  readonly help: string;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

export interface ParsedArguments {
  readonly positionals: readonly string[];
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Throws a `UsageError`. */
export function parseArguments(
  args: readonly string[],
  table: OptionTable,
  mostPositionals = 0,
): ParsedArguments {
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
  const { values, positionals } = parse(args, options);
  if (positionals.length > mostPositionals)
    throw new UsageError(`there is no use for ${JSON.stringify(positionals[mostPositionals])}`);
  const text = (name: string): string | undefined => {
    const value = values[name] ?? table[name]?.default;
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    text,
    texts: (name) => [values[name] ?? []].flat().map(String),
    flag: (name) => values[name] === true,
  };
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function parse(
  args: readonly string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object,
): { values: Values; positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(complaint(error));
  }
}

/** Node's own words are advice for odder cases than a letter that is wrong. */
function complaint(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, option = ''] = /'((?:-\w, )?-[^' ]*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `there is no option ${option}`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && /missing|ambiguous/.test(message))
    return `${option} needs a value`;
  return message;
}

/** The lines of the help, columns in line. */
export function optionLines(table: OptionTable): string {
  const rows = Object.entries({ ...table, help: { short: 'h', help: 'this text' } as OptionRow }).map(
    ([name, row]) => ({
      left: `${row.short === undefined ? '    ' : `-${row.short}, `}--${name}${row.value === undefined ? '' : ` <${row.value}>`}`,
      right: row.help + (row.default === undefined ? '' : ` (default ${row.default})`),
    }),
  );
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
