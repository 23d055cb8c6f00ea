/** Finds kube-apiserver, etcd and kubectl, or builds them from Go's module registry. */

import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { renderGoModule } from './go-module.js';
import { type KubernetesVersion, selectedVersion } from './versions.js';

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
export const EXIT_UNAVAILABLE = 3;

/** Kubernetes 1.37 and 1.36 are written for this Go version; it compiles the older ones, too. */
const MIN_GO_VERSION = '1.26';

/** The large one is last: a broken Go installation shows after seconds, not minutes. */
const PACKAGES = [
  ['etcd', 'go.etcd.io/etcd/server/v3'],
  ['kubectl', 'k8s.io/kubernetes/cmd/kubectl'],
  ['kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'],
] as const;

/** Long enough not to flood a log, short enough that a silent compiler does not look hung. */
const PROGRESS_INTERVAL_MS = 30_000;

/** The programs if they are ready to run, without building anything; undefined otherwise. */
export function findBinaries(version: KubernetesVersion = selectedVersion()): Binaries | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets) return binariesIn(cacheFolder(version));
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
 * The programs of a version, built first if necessary. Several processes may do this at once: each builds in its own
 * folder and moves complete files into the cache. The resolved go.mod and go.sum are kept beside the programs.
 */
export async function resolveBinaries(
  log: (line: string) => void,
  version: KubernetesVersion = selectedVersion(),
): Promise<Binaries> {
  const found = findBinaries(version);
  if (found) return found;
  const cache = cacheFolder(version);
  await requireGo();
  log(`no control plane in ${cache}: building it with Go (about 8 minutes on two cores with cold caches)`);
  mkdirSync(cache, { recursive: true });
  const workshop = mkdtempSync(join(cache, 'building-'));
  try {
    await writeGoModule(version, workshop);
    for (const [name, goPackage] of PACKAGES) await build(goPackage, { version, workshop, name, log });
    for (const name of ['go.mod', 'go.sum', ...PACKAGES.map(([program]) => program)]) {
      renameSync(join(workshop, name), join(cache, name));
    }
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  const built = binariesIn(cache);
  if (!built)
    throw new Error(`the build left no programs in ${cache}; this is a bug in test/controlplane/binaries.ts`);
  return built;
}

/** Prints the paths of the programs, or the reason why there are none, with exit code 3. */
export async function printBinaries(version: KubernetesVersion): Promise<void> {
  try {
    const { kubeApiServer, etcd, kubectl } = await resolveBinaries((line) => console.error(line), version);
    console.log([kubeApiServer, etcd, kubectl].join('\n'));
  } catch (error) {
    if (!(error instanceof BinariesUnavailableError)) throw error;
    console.error(`\nThe end-to-end tests cannot run here. ${error.message}\n`);
    process.exitCode = EXIT_UNAVAILABLE;
  }
}

function cacheFolder(version: KubernetesVersion): string {
  const root = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(root, 'kubeflect', 'controlplane', `v${version}`);
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
    await go(['version'], homedir());
  } catch (cause) {
    throw new BinariesUnavailableError(
      `They need kube-apiserver, etcd and kubectl: install Go ${MIN_GO_VERSION} or later to have them built, or set ` +
        'KUBEBUILDER_ASSETS to a folder that holds them (setup-envtest fills one).',
      { cause },
    );
  }
}

async function writeGoModule(version: KubernetesVersion, folder: string): Promise<void> {
  const module = `k8s.io/kubernetes@v${version}`;
  try {
    const { GoMod } = JSON.parse(await go(['mod', 'download', '-json', module], folder)) as { GoMod: string };
    writeFileSync(join(folder, 'go.mod'), renderGoModule(version, readFileSync(GoMod, 'utf8')));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BinariesUnavailableError(`Downloading ${module} failed: ${reason}`, { cause });
  }
}

interface BuildOptions {
  readonly version: KubernetesVersion;
  /** The folder of go.mod, and of the program. */
  readonly workshop: string;
  readonly name: string;
  readonly log: (line: string) => void;
}

async function build(goPackage: string, { version, workshop, name, log }: BuildOptions): Promise<void> {
  const started = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - started) / 1000)} s`;
  log(`building ${goPackage} ${version}`);
  const progress = setInterval(() => log(`still building ${goPackage} (${elapsed()})`), PROGRESS_INTERVAL_MS);
  try {
    // -mod=mod: go.mod names only the direct requirements; the first build completes it and writes go.sum, each
    // line of which Go checks with its checksum database.
    const flags = ['-mod=mod', '-trimpath', '-ldflags', linkerFlags(version)];
    await go(['build', ...flags, '-o', join(workshop, name), goPackage], workshop);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BinariesUnavailableError(`Building ${goPackage} failed: ${reason}`, { cause });
  } finally {
    clearInterval(progress);
  }
  log(`built ${goPackage} in ${elapsed()}`);
}

/** Without these flags the server's version is v0.0.0, and kubectl warns of version skew. */
function linkerFlags(version: KubernetesVersion): string {
  const [gitMajor, gitMinor] = version.split('.');
  const variables = { gitVersion: `v${version}`, gitMajor, gitMinor };
  return [
    '-s -w',
    ...Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
  ].join(' ');
}

/** GOTOOLCHAIN=local: a Go that is too old must fail instead of downloading another. */
function go(args: readonly string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: folder,
      env: { ...process.env, GOTOOLCHAIN: 'local' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`go ${args[0]} exited with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
}
