#!/usr/bin/env node
/** Entry of the `kubeflect` command: picks the subcommand and turns its outcome into an exit code. */

import { demo } from './demo.js';
import { DEMO_HELP } from './demo-options.js';
import { UsageError } from './usage-error.js';

const HELP = `kubeflect: Kubernetes collections mirrored into a Node.js process

Usage: kubeflect <command> [options]

Commands:
  demo      an engine on an embedded API server with pods that change

kubeflect <command> --help tells more.
`;

interface Command {
  readonly help: string;
  run(args: string[]): Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  demo: { help: DEMO_HELP, run: demo },
};

async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(HELP);
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`kubeflect: there is no command ${name}\n\n${HELP}`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  try {
    await command.run(rest);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`kubeflect ${name}: ${message}\n`);
    if (!(error instanceof UsageError)) return 1;
    process.stderr.write(`\n${command.help}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
