#!/usr/bin/env node
/** Entry of the `kubeflect` command: picks the subcommand and turns its outcome into an exit code. */

import { readFileSync } from 'node:fs';
import { UsageError } from './arguments/usage-error.js';
import { bench } from './bench/bench.js';
import { type Command, helpOf } from './command.js';
import { demo } from './demo/demo.js';
import { doctor } from './doctor/doctor.js';
import { serve } from './serve/serve.js';
import { endQuietlyAtBrokenPipe } from './terminal/output.js';
import { top } from './top/top.js';
import { watch } from './watch/watch.js';

const COMMANDS: readonly Command[] = [watch, top, doctor, serve, demo, bench];

/** The same place from here in the repository and in the package. */
const PACKAGE = new URL('../../../package.json', import.meta.url);

const HELP = `kubeflect: Kubernetes collections mirrored into a Node.js process

Usage: kubeflect <command> [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)}  ${summary}\n`).join('')}
kubeflect <command> --help tells more, kubeflect --version which one this is.
Exit codes: 0 all is well, 1 something is not, 2 the command was not understood.
`;

async function main(args: readonly string[]): Promise<number> {
  endQuietlyAtBrokenPipe();
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string };
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    process.stderr.write(`kubeflect: there is no command ${name}\n\n${HELP}`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`kubeflect ${name}: ${message}\n`);
    if (!(error instanceof UsageError)) return 1;
    process.stderr.write(`\n${helpOf(command)}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
