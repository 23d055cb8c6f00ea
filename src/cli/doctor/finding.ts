/** `warn`: it works, but not as well as it could. */
export type Verdict = 'ok' | 'warn' | 'fail' | 'unknown';

export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly verdict: Verdict;
  /** A word for scripts: `unreachable`, `wrong-ca`, `expired-token`, `unauthorized`, `no-permission`, `no-watch-list`, … */
  readonly fault?: string;
  readonly detail: string;
  /** What to change. */
  readonly advice?: string;
}

/** The first part of a diagnosis that makes looking further useless. */
export class Fatal extends Error {
  readonly finding: Finding;

  constructor(finding: Omit<Finding, 'verdict'>) {
    super(finding.detail);
    this.finding = { ...finding, verdict: 'fail' };
  }
}
