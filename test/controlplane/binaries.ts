/** Finds kube-apiserver, etcd and kubectl, or builds them from Go's module registry. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the three programs. */
export interface Binaries {
  kubeApiServer: string;
  etcd: string;
  kubectl: string;
}

/** The programs are neither installed nor can they be built. */
export class BinariesUnavailableError extends Error {
  override name = 'BinariesUnavailableError';
}

/** Distinct from 1 (a test failed), so that a script can distinguish "could not run" from "failed". */
const EXIT_UNAVAILABLE = 3;

/** The folder of go.mod and go.sum, also for the files compiled into dist-test. */
const MODULE_FOLDER = fileURLToPath(new URL('.', import.meta.url.replace('/dist-test/', '/')));

/** The large one is last: a broken Go installation shows after seconds, not minutes. */
const PACKAGES = [
  ['etcd', 'go.etcd.io/etcd/server/v3'],
  ['kubectl', 'k8s.io/kubernetes/cmd/kubectl'],
  ['kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'],
] as const;

/** Long enough not to flood a log, short enough that a silent compiler does not look hung. */
const PROGRESS_INTERVAL_MS = 30_000;

/** The programs if they are ready to run, without building anything; undefined otherwise. */
export function findBinaries(): Binaries | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets) return binariesIn(cacheFolder());
  const found = binariesIn(assets);
  if (!found) {
    throw new BinariesUnavailableError(
      `KUBEBUILDER_ASSETS=${assets} must hold kube-apiserver, etcd and kubectl as executable files, and does not; ` +
        'put them there, or unset it to have them built with Go.',
    );
  }
  return found;
}

/**
 * The programs, built first if necessary. Several processes may do this at once: each builds in its own folder and moves
 * complete files into the cache, which is keyed by go.sum.
 */
export async function resolveBinaries(log: (line: string) => void): Promise<Binaries> {
  const found = findBinaries();
  if (found) return found;
  const cache = cacheFolder();
  await requireGo();
  log(`no control plane in ${cache}: building it with Go (about 7 minutes on two cores with cold caches)`);
  mkdirSync(cache, { recursive: true });
  const workshop = mkdtempSync(join(cache, 'building-'));
  try {
    for (const [name, goPackage] of PACKAGES) await build(goPackage, join(workshop, name), log);
    for (const [name] of PACKAGES) renameSync(join(workshop, name), join(cache, name));
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  const built = binariesIn(cache);
  if (!built)
    throw new Error(`the build left no programs in ${cache}; this is a bug in test/controlplane/binaries.ts`);
  return built;
}

/** Prints the paths of the programs, or the reason why there are none, with exit code 3. */
export async function printBinaries(): Promise<void> {
  try {
    const { kubeApiServer, etcd, kubectl } = await resolveBinaries((line) => console.error(line));
    console.log([kubeApiServer, etcd, kubectl].join('\n'));
  } catch (error) {
    if (!(error instanceof BinariesUnavailableError)) throw error;
    console.error(`\nThe end-to-end tests cannot run here. ${error.message}\n`);
    process.exitCode = EXIT_UNAVAILABLE;
  }
}

function cacheFolder(): string {
  const root = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const digest = createHash('sha256')
    .update(readFileSync(join(MODULE_FOLDER, 'go.sum')))
    .digest('hex');
  return join(root, 'kubeflect', 'controlplane', digest.slice(0, 16));
}

function binariesIn(folder: string): Binaries | undefined {
  const binaries = {
    kubeApiServer: join(folder, 'kube-apiserver'),
    etcd: join(folder, 'etcd'),
    kubectl: join(folder, 'kubectl'),
  };
  return Object.values(binaries).every(isExecutable) ? binaries : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function requireGo(): Promise<void> {
  try {
    await go(['version']);
  } catch (cause) {
    throw new BinariesUnavailableError(
      'They need kube-apiserver, etcd and kubectl: install Go (the version in test/controlplane/go.mod or later) to ' +
        'have them built, or set KUBEBUILDER_ASSETS to a folder that holds them (setup-envtest fills one).',
      { cause },
    );
  }
}

async function build(goPackage: string, output: string, log: (line: string) => void): Promise<void> {
  const started = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - started) / 1000)} s`;
  log(`building ${goPackage}`);
  const progress = setInterval(() => log(`still building ${goPackage} (${elapsed()})`), PROGRESS_INTERVAL_MS);
  try {
    await go(['build', '-trimpath', '-ldflags', linkerFlags(), '-o', output, goPackage]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BinariesUnavailableError(`Building ${goPackage} failed: ${reason}`, { cause });
  } finally {
    clearInterval(progress);
  }
  log(`built ${goPackage} in ${elapsed()}`);
}

/** Without these flags the server's version is v0.0.0, and kubectl warns of version skew. */
function linkerFlags(): string {
  const goMod = readFileSync(join(MODULE_FOLDER, 'go.mod'), 'utf8');
  const [, gitVersion, gitMajor, gitMinor] = /\sk8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/.exec(goMod) ?? [];
  if (!gitVersion) throw new Error('test/controlplane/go.mod must require k8s.io/kubernetes');
  const variables = { gitVersion, gitMajor, gitMinor };
  return [
    '-s -w',
    ...Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
  ].join(' ');
}

/** GOTOOLCHAIN=local: a Go that is too old must fail instead of downloading another. */
function go(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: MODULE_FOLDER,
      env: { ...process.env, GOTOOLCHAIN: 'local' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go ${args[0]} exited with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
}
