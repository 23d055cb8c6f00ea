import { type OptionTable, optionLines } from './arguments/option-table.js';

/** A subcommand of `kubeflect`. */
export interface Command {
  readonly name: string;
  /** What follows the name: `<resource> [options]`. */
  readonly usage: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly options: OptionTable;
  /** What else there is to know. */
  readonly notes: string;
  /** The exit code. Throws a `UsageError`, or whatever went wrong. */
  run(args: readonly string[]): Promise<number>;
}

export function helpOf({ name, usage, summary, options, notes }: Command): string {
  return `kubeflect ${name}: ${summary}\n\nUsage: kubeflect ${name} ${usage}\n\nOptions:\n${optionLines(options)}\n${notes}`;
}
