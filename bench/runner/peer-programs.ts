/**
 * Builds the contenders in other languages once, into the user's cache folder, where their toolchain is installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, copyFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../repository.js';

/** The toolchain is missing or too old, or its package registry cannot be reached. */
export class PeerUnavailableError extends Error {
  override name = 'PeerUnavailableError';
}

export type Peer = 'client-go' | 'kube-rs';

interface Recipe {
  readonly toolchain: string;
  readonly sources: readonly string[];
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  args(output: string): string[];
  /** The program's path after the build. */
  built(output: string): string;
}

const RECIPES: Readonly<Record<Peer, Recipe>> = {
  'client-go': {
    toolchain: 'Go 1.26 or later (go.dev/dl)',
    sources: ['go.mod', 'go.sum', 'main.go', 'driven.go'],
    command: 'go',
    // GOTOOLCHAIN=local: a Go that is too old fails instead of downloading another.
    environment: { GOTOOLCHAIN: 'local' },
    args: (output) => ['build', '-trimpath', '-ldflags', '-s -w', '-o', output, '.'],
    built: (output) => output,
  },
  'kube-rs': {
    toolchain: 'Rust 1.88 or later (rustup.rs)',
    sources: ['Cargo.toml', 'Cargo.lock', 'src/main.rs', 'src/driven.rs'],
    command: 'cargo',
    environment: {},
    args: (output) => ['build', '--release', '--locked', '--target-dir', `${output}-target`],
    built: (output) => join(`${output}-target`, 'release', 'kubeflect-bench-kube-rs'),
  },
};

/** The path of the program. Several processes may build at once: complete files are moved into place. */
export async function peerProgram(peer: Peer): Promise<string> {
  const recipe = RECIPES[peer];
  const folder = fileURLToPath(new URL(`bench/peers/${peer}`, ROOT));
  const program = join(cacheFolder(), `${peer}-${digestOf(folder, recipe.sources)}`);
  if (isExecutable(program)) return program;
  console.error(`building ${peer} (minutes, with cold caches)`);
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = `${join(cacheFolder(), peer)}-building-${process.pid}`;
  const output = peer === 'kube-rs' ? join(cacheFolder(), peer) : temporary;
  await build(peer, recipe, folder, output);
  if (recipe.built(output) !== temporary) copyFileSync(recipe.built(output), temporary);
  renameSync(temporary, program);
  return program;
}

function build(peer: Peer, recipe: Recipe, cwd: string, output: string): Promise<void> {
  const { command, args, environment, toolchain } = recipe;
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '15', command, ...args(output)], {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors = (errors + chunk).slice(-4000);
    });
    const fail = (reason: string): void => {
      const advice = `It needs ${toolchain} and its package registry; or leave it out of --peer.`;
      reject(new PeerUnavailableError(`${peer} could not be built: ${reason}\n${advice}`));
    };
    child.on('error', ({ message }) => fail(message));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      // nice exits with 126 or 127 if it cannot start the program.
      else if (code === 127 || code === 126) fail(`there is no ${command}`);
      else fail(`${signal ?? code}: ${errors.trim()}`);
    });
  });
}

function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubeflect', 'bench');
}

function digestOf(folder: string, sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(folder, source)));
  return hash.digest('hex').slice(0, 16);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
