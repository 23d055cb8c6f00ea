#!/usr/bin/env node
/** Entry point of the `kubeflect` command: runs a subcommand and turns its result into an exit code. */

import { readFileSync } from 'node:fs';
import { UsageError } from './arguments/parse-arguments.js';
import { bench } from './bench/bench.js';
import { type Command, helpText } from './command.js';
import { demo } from './demo/demo.js';
import { doctor } from './doctor/doctor.js';
import { ring } from './ring/ring.js';
import { serve } from './serve/serve.js';
import { exitOnBrokenPipe } from './terminal/output.js';
import { top } from './top/top.js';
import { watch } from './watch/watch.js';

const COMMANDS: readonly Command[] = [watch, top, doctor, ring, serve, demo, bench];

/** The same relative path in the repository and in the package. */
const PACKAGE_JSON = new URL('../../../package.json', import.meta.url);

const HELP = `kubeflect: client-go's informers for Node.js, decoded in worker threads

Usage: kubeflect <command> [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)}  ${summary}\n`).join('')}
Options:
  -h, --help     Print this help; "kubeflect <command> --help" prints that of a command
      --version  Print the version

Exit codes: 0 success, 1 failure, 2 invalid usage
`;

async function main(args: readonly string[]): Promise<number> {
  exitOnBrokenPipe();
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    const { version } = JSON.parse(readFileSync(PACKAGE_JSON, 'utf8')) as { readonly version: string };
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    process.stderr.write(`kubeflect: unknown command ${JSON.stringify(name)}\n\n${HELP}`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpText(command));
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`kubeflect ${name}: ${message}\n`);
    if (!(error instanceof UsageError)) return 1;
    process.stderr.write(`\n${helpText(command)}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
