/** What a case consists of: options, and a function that measures, checks and returns a report. */
import { COMMON, type Options, parseOptions, type Values } from '../command-line/options.js';
import type { Report } from '../report/report.js';

type CommonValues = Values<typeof COMMON>;

export interface BenchCase {
  /** `output` says where the report is to be written. */
  run(args: readonly string[]): Promise<{ report: Report; output: CommonValues }>;
}

/** A case may have its own defaults of the common options. */
export function defineCase<O extends Options>(
  options: O,
  run: (values: Values<O & typeof COMMON>) => Promise<Report>,
): BenchCase {
  return {
    async run(args) {
      const help = 'npm run bench -- --help lists the cases and their options';
      const values = parseOptions<O & typeof COMMON>(args, { ...COMMON, ...options }, help);
      return { report: await run(values), output: values };
    },
  };
}
