/** `npm run test:versions`: the end-to-end suites on each Kubernetes version, and a table of the results. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BinariesUnavailableError, EXIT_UNAVAILABLE, resolveBinaries } from './binaries.js';
import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
  minorOf,
  parseVersion,
  UnknownVersionError,
  VERSION_VARIABLE,
  versionsOfSuites,
} from './versions.js';

const HELP = `usage: npm run test:versions [-- [<version> ...] [--only <path>]]

Runs the end-to-end suites, one Kubernetes version after another, and prints a table. Versions that were not built before
are built first: about 8 minutes each on two cores.
  <version>      ${KUBERNETES_VERSIONS.map(minorOf).join(', ')}; all of them by default
  --only <path>  only the test files whose path contains this, such as test/conformance`;

/** An environment variable of scripts/test-e2e.ts: the folder for the reports of Vitest. */
const REPORT_VARIABLE = 'KUBEFLECT_E2E_REPORTS';
const USAGE_ERROR = 2;

/** What the JSON reporter of Vitest writes, as far as it is used here. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
    }[];
  }[];
}

export interface VersionResult {
  readonly version: string;
  readonly passed: number;
  /** Of tests, and of files that could not be loaded. */
  readonly failed: readonly string[];
  /** A test that does not apply names the reason in its title. */
  readonly skipped: readonly string[];
  readonly seconds: number;
  readonly exitCode: number;
}

export async function runVersionMatrix(args: readonly string[]): Promise<number> {
  let options: MatrixOptions;
  try {
    options = parseMatrixOptions(args);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error instanceof UnknownVersionError ? error.message : `${error.message}\n\n${HELP}`);
    return USAGE_ERROR;
  }
  if (options.isHelp) {
    console.log(HELP);
    return 0;
  }
  const results: VersionResult[] = [];
  try {
    for (const version of options.versions) {
      for (const needed of versionsOfSuites(version)) {
        await resolveBinaries((line) => console.log(line), needed);
      }
      console.log(`\n=== Kubernetes ${version}`);
      results.push(await runVersion(version, options.only));
    }
  } catch (error) {
    if (!(error instanceof BinariesUnavailableError)) throw error;
    console.error(error.message);
    return EXIT_UNAVAILABLE;
  }
  console.log(`\n${renderMatrix(results)}`);
  return results.every(isGreen) ? 0 : 1;
}

interface MatrixOptions {
  readonly versions: readonly KubernetesVersion[];
  readonly only: string | undefined;
  readonly isHelp: boolean;
}

function parseMatrixOptions(args: readonly string[]): MatrixOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  const versions = positionals.length === 0 ? KUBERNETES_VERSIONS : positionals.map(parseVersion);
  return { versions: [...new Set(versions)], only: values.only, isHelp: values.help };
}

async function runVersion(version: KubernetesVersion, only: string | undefined): Promise<VersionResult> {
  const reports = mkdtempSync(join(tmpdir(), 'kubeflect-versions-'));
  const started = performance.now();
  const files = only === undefined ? [] : [only];
  const child = spawn(process.execPath, ['dist-scripts/test-e2e.js', ...files], {
    stdio: 'inherit',
    env: { ...process.env, [VERSION_VARIABLE]: version, [REPORT_VARIABLE]: reports },
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  const read = readdirSync(reports).map(
    (name) => JSON.parse(readFileSync(join(reports, name), 'utf8')) as VitestReport,
  );
  rmSync(reports, { recursive: true });
  return { version, ...summarize(read), seconds, exitCode };
}

/** Adds up the reports of one run. */
export function summarize(
  reports: readonly VitestReport[],
): Pick<VersionResult, 'passed' | 'failed' | 'skipped'> {
  const files = reports.flatMap(({ testResults }) => testResults);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const titled = (...statuses: string[]): string[] =>
    tests.filter(({ status }) => statuses.includes(status)).map(({ fullName }) => fullName);
  const broken = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: titled('passed').length,
    failed: [...titled('failed'), ...broken.map(({ name, message }) => `${name}: ${message}`)],
    skipped: titled('skipped', 'pending', 'todo', 'disabled'),
  };
}

/** A Markdown table, and the titles of what failed or was skipped. */
export function renderMatrix(results: readonly VersionResult[]): string {
  const rows = results.map((result) =>
    [
      result.version,
      result.passed,
      isGreen(result) ? 0 : result.failed.length || `exit code ${result.exitCode}`,
      result.skipped.length,
      result.seconds,
    ].map(String),
  );
  const table = [['version', 'passed', 'failed', 'skipped', 'seconds'], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = line(
    widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  );
  const [header, ...body] = table.map(line);
  const notes = results.flatMap(({ version, failed, skipped }) => [
    ...failed.map((title) => `${version} failed: ${title}`),
    ...skipped.map((title) => `${version} skipped: ${title}`),
  ]);
  return [header, rule, ...body, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

function isGreen({ exitCode, passed, failed }: VersionResult): boolean {
  return exitCode === 0 && failed.length === 0 && passed > 0;
}
