/** What `npm run sim` can be asked for. */

import { parseArgs } from 'node:util';
import type { WorldName } from './worlds.js';

const HELP = `usage: npm run sim -- [--seeds 1] [--from 1] [options]

  --seeds N, --from N      so many worlds, beginning with this one
  --seed N [--trace]       one world again, line by line
  --bugs [--only TEXT]     old bugs planted one by one (those with TEXT in their name), and how many seeds it took to find each
  --exhaustive kill|cut    the worker ended after every message of a script, or the connection before every byte of one
    [--stride N]           only at every so many
  --world engine|reflector everything but the threads (the default), or reflector and informer without bytes
  --steps N                of a world (100)
  --processes N            2
  --sometimes              how often each fault struck and each way out was taken`;

export interface CommandLine {
  readonly seed: number | undefined;
  readonly steps: number;
  readonly seeds: number;
  readonly from: number;
  readonly world: WorldName;
  readonly processes: number;
  readonly trace: boolean;
  readonly sometimes: boolean;
  readonly bugs: boolean;
  readonly only: string;
  readonly child: boolean;
  readonly exhaustive: 'kill' | 'cut' | undefined;
  readonly stride: number;
}

/** Ends the process with the help if it is asked for, or if something else is asked for that there is not. */
export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    return parse(args);
  } catch (error) {
    const isHelp = args.includes('--help');
    console.error(isHelp ? HELP : `${(error as Error).message}\n\n${HELP}`);
    return process.exit(isHelp ? 0 : 2);
  }
}

function parse(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      steps: { type: 'string', default: '100' },
      seeds: { type: 'string', default: '1' },
      from: { type: 'string', default: '1' },
      world: { type: 'string', default: 'engine' },
      processes: { type: 'string', default: '2' },
      trace: { type: 'boolean', default: false },
      sometimes: { type: 'boolean', default: false },
      bugs: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      /** One of the processes of another. */
      child: { type: 'boolean', default: false },
      exhaustive: { type: 'string' },
      stride: { type: 'string', default: '1' },
    },
  });
  const { world, exhaustive } = values;
  if (world !== 'engine' && world !== 'reflector') throw new TypeError(`there is no world ${world}`);
  if (exhaustive !== undefined && exhaustive !== 'kill' && exhaustive !== 'cut')
    throw new TypeError(`--exhaustive takes kill or cut, not ${exhaustive}`);
  return {
    ...values,
    world,
    exhaustive,
    seed: values.seed === undefined ? undefined : countOf('seed', values.seed),
    steps: countOf('steps', values.steps),
    seeds: countOf('seeds', values.seeds),
    from: countOf('from', values.from),
    processes: countOf('processes', values.processes),
    stride: countOf('stride', values.stride),
  };
}

function countOf(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new TypeError(`--${name} takes a whole number from 1, not ${text}`);
  return Number(text);
}
