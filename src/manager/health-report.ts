/** One thing that must be right, for an endpoint of the manager. Names no objects. */
export interface HealthCheck {
  readonly name: string;
  /** What is wrong; undefined if nothing is. */
  readonly problem: string | undefined;
}

/** An endpoint's answer, as text in the form of kube-apiserver's, or as JSON. */
export interface HealthReport {
  /** `healthz` or `readyz`. */
  readonly endpoint: string;
  readonly checks: readonly HealthCheck[];
}

export function isHealthy({ checks }: HealthReport): boolean {
  return checks.every(({ problem }) => problem === undefined);
}

/** `ok` alone, unless something is wrong or `verbose` is true. */
export function healthText(
  report: HealthReport,
  { verbose = false }: { readonly verbose?: boolean } = {},
): string {
  if (isHealthy(report) && !verbose) return 'ok\n';
  const lines = report.checks.map(({ name, problem }) =>
    problem === undefined ? `[+]${oneLine(name)} ok` : `[-]${oneLine(name)} failed: ${oneLine(problem)}`,
  );
  return `${lines.join('\n')}\n${report.endpoint} check ${isHealthy(report) ? 'passed' : 'failed'}\n`;
}

export function healthJson(report: HealthReport): string {
  const checks = report.checks.map(({ name, problem }) => ({ name, ok: problem === undefined, problem }));
  return `${JSON.stringify({ ok: isHealthy(report), checks })}\n`;
}

/** A name is anything that the program chose. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
