import { parseArgs } from 'node:util';
import { parseDuration } from './duration.js';
import { UsageError } from './usage-error.js';

export const DEMO_HELP = `kubeflect demo: an engine on an embedded API server with pods that change, and what it does

Usage: kubeflect demo [options]

Options:
  --pods <n>       how many pods the server has                  (default 50000)
  --churn <n>      how many of them change each second           (default 500)
  --workers <n>    threads of the engine; 0: none                (default: cores - 1, 1 to 4)
  --list <mode>    auto, paged, full or stream                   (default auto)
  --page-size <n>  objects per page                              (default 500)
  --for <time>     ends after this time, e.g. 5s or 1m           (default: at Ctrl-C)
  --port <n>       the server's port, 0 takes a free one         (default 0)
  --tls            https, by a CA of its own
  --help

The server is a process of its own and listens on 127.0.0.1 only. A kubeconfig for kubectl or any client is written
to a file that it names, and removed at the end.
`;

const MODES = ['auto', 'paged', 'full', 'stream'] as const;

export interface DemoOptions {
  readonly pods: number;
  readonly churn: number;
  readonly workers: number | undefined;
  readonly list: (typeof MODES)[number];
  readonly pageSize: number;
  readonly forMs: number;
  readonly port: number;
  readonly tls: boolean;
}

/** Throws a `UsageError`. */
export function readDemoOptions(args: string[]): DemoOptions {
  const { values } = parse(args);
  const list = MODES.find((mode) => mode === values.list);
  if (list === undefined) throw new UsageError(`--list must be one of ${MODES.join(', ')}`);
  return {
    pods: wholeNumber('--pods', values.pods, 1, 10_000_000),
    churn: wholeNumber('--churn', values.churn, 0, 1_000_000),
    workers: values.workers === undefined ? undefined : wholeNumber('--workers', values.workers, 0, 64),
    list,
    pageSize: wholeNumber('--page-size', values['page-size'], 1, 100_000),
    forMs: values.for === undefined ? Number.POSITIVE_INFINITY : parseDuration(values.for, '--for'),
    port: wholeNumber('--port', values.port, 0, 65_535),
    tls: values.tls,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        pods: { type: 'string', default: '50000' },
        churn: { type: 'string', default: '500' },
        workers: { type: 'string' },
        list: { type: 'string', default: 'auto' },
        'page-size': { type: 'string', default: '500' },
        for: { type: 'string' },
        port: { type: 'string', default: '0' },
        tls: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`,
  );
}
