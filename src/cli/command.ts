import { type OptionTable, optionLines } from './arguments/parse-arguments.js';

/** A subcommand of `kubeflect`. */
export interface Command {
  readonly name: string;
  /** What follows the name: `<resource> [options]`. */
  readonly usage: string;
  /** One line, also shown in the list of commands. */
  readonly summary: string;
  readonly options: OptionTable;
  /** Details and examples, printed after the options. */
  readonly notes: string;
  /** Resolves with the exit code. Rejects with a `UsageError`, or with the error that ended the command. */
  run(args: readonly string[]): Promise<number>;
}

export function helpText({ name, usage, summary, options, notes }: Command): string {
  return `${summary}\n\nUsage: kubeflect ${name} ${usage}\n\nOptions:\n${optionLines(options)}\n${notes}`;
}
