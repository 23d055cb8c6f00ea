import type { ListMode } from '../../engine/informer-options.js';
import { type OptionTable, parseArguments } from '../arguments/option-table.js';
import { durationMs, oneOf, wholeNumber } from '../arguments/values.js';

const MODES: readonly ListMode[] = ['auto', 'paged', 'full', 'stream'];

export const DEMO_OPTIONS: OptionTable = {
  pods: { value: 'n', default: '50000', help: 'how many pods the server has' },
  churn: { value: 'n', default: '500', help: 'how many of them change each second' },
  workers: { value: 'n', help: 'threads of the engine; 0: none (default cores - 1, 1 to 4)' },
  list: { value: 'mode', default: 'auto', help: MODES.join(', ') },
  'page-size': { value: 'n', default: '2000', help: 'objects per page, where lists are paged' },
  for: { value: 'time', help: 'ends after this time, e.g. 5s or 1m (default at Ctrl-C)' },
  port: { value: 'n', default: '0', help: "the server's port, 0 takes a free one" },
  tls: { help: 'https, by a CA of its own' },
};

export interface DemoOptions {
  readonly pods: number;
  readonly churn: number;
  readonly workers: number | undefined;
  readonly list: ListMode;
  readonly pageSize: number;
  readonly forMs: number;
  readonly port: number;
  readonly tls: boolean;
}

/** Throws a `UsageError`. */
export function readDemoOptions(args: readonly string[]): DemoOptions {
  const parsed = parseArguments(args, DEMO_OPTIONS);
  return {
    pods: wholeNumber(parsed, 'pods', [1, 10_000_000], 0),
    churn: wholeNumber(parsed, 'churn', [0, 1_000_000], 0),
    workers: wholeNumber(parsed, 'workers', [0, 64], undefined),
    list: oneOf(parsed, 'list', MODES),
    pageSize: wholeNumber(parsed, 'page-size', [1, 100_000], 2000),
    forMs: durationMs(parsed, 'for'),
    port: wholeNumber(parsed, 'port', [0, 65_535], 0),
    tls: parsed.flag('tls'),
  };
}
