/** The command line of `npm run sim`. */

import { parseArgs } from 'node:util';
import { SCENARIOS, type ScenarioName } from './scenarios.js';

const HELP = `usage: npm run sim -- [--seeds 1] [--from 1] [options]

  --seeds N, --from N      run N seeds, starting with the seed of --from
  --seed N [--trace]       run one seed; --trace prints every line of its trace
  --scenario NAME          engine: everything but the threads (the default);
                           reflector: reflector and informer, without bytes;
                           electors: candidates of a leader election;
                           ring: the members of a ring and their Leases
  --steps N                steps per seed before the faults end (default 100)
  --processes N            processes to run in (default 2)
  --coverage               print how often each fault and each recovery path occurred
  --bugs [--only STRING]   plant each known bug of the scenario (whose name contains STRING) and print how many seeds find it
  --exhaustive kill|cut    kill the worker after every message, or cut the connection before every byte
    [--stride N]           only at every Nth message or byte`;

export interface CommandLine {
  readonly seed: number | undefined;
  readonly steps: number;
  readonly seeds: number;
  readonly from: number;
  readonly scenario: ScenarioName;
  readonly processes: number;
  readonly trace: boolean;
  readonly coverage: boolean;
  readonly bugs: boolean;
  readonly only: string;
  readonly child: boolean;
  readonly exhaustive: 'kill' | 'cut' | undefined;
  readonly stride: number;
}

/** Prints the usage and exits for `--help` and for arguments that are not valid. */
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
      scenario: { type: 'string', default: 'engine' },
      processes: { type: 'string', default: '2' },
      trace: { type: 'boolean', default: false },
      coverage: { type: 'boolean', default: false },
      bugs: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      /** Internal: this process was forked by another one and does part of its work. */
      child: { type: 'boolean', default: false },
      exhaustive: { type: 'string' },
      stride: { type: 'string', default: '1' },
    },
  });
  const { exhaustive } = values;
  const scenario = SCENARIOS.find((name) => name === values.scenario);
  if (scenario === undefined)
    throw new TypeError(`--scenario must be one of ${SCENARIOS.join(', ')}, got ${values.scenario}`);
  if (exhaustive !== undefined && exhaustive !== 'kill' && exhaustive !== 'cut')
    throw new TypeError(`--exhaustive must be one of kill, cut, got ${exhaustive}`);
  return {
    ...values,
    scenario,
    exhaustive,
    seed: values.seed === undefined ? undefined : positiveInteger('seed', values.seed),
    steps: positiveInteger('steps', values.steps),
    seeds: positiveInteger('seeds', values.seeds),
    from: positiveInteger('from', values.from),
    processes: positiveInteger('processes', values.processes),
    stride: positiveInteger('stride', values.stride),
  };
}

function positiveInteger(name: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new TypeError(`--${name} must be a positive integer, got ${value}`);
  return Number(value);
}
