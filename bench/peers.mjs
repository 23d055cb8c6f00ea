/** Builds the contenders in other languages once, into the user's cache, where their toolchain is. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, copyFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A toolchain is missing or too old, or the registry of its packages cannot be reached. */
export class PeerUnavailableError extends Error {
  name = 'PeerUnavailableError';
}

const PEERS = {
  'client-go': {
    toolchain: 'Go 1.26 or later (go.dev/dl)',
    sources: ['go.mod', 'go.sum', 'main.go'],
    command: 'go',
    // GOTOOLCHAIN=local: a Go that is too old must say so instead of downloading another.
    environment: { GOTOOLCHAIN: 'local' },
    args: (output) => ['build', '-trimpath', '-ldflags', '-s -w', '-o', output, '.'],
    built: (output) => output,
  },
  'kube-rs': {
    toolchain: 'Rust 1.88 or later (rustup.rs)',
    sources: ['Cargo.toml', 'Cargo.lock', 'src/main.rs'],
    command: 'cargo',
    environment: {},
    args: (output) => ['build', '--release', '--locked', '--target-dir', `${output}-target`],
    built: (output) => join(`${output}-target`, 'release', 'kubeflect-bench-kube-rs'),
  },
};

/** The path of the program. Several processes may build at once: whole files are moved into place. */
export async function peerProgram(name, log = console.error) {
  const peer = PEERS[name];
  const folder = fileURLToPath(new URL(`peers/${name}`, import.meta.url));
  const program = join(cacheFolder(), `${name}-${digestOf(folder, peer.sources)}`);
  if (isExecutable(program)) return program;
  log(`building ${name} (minutes, with cold caches)`);
  mkdirSync(cacheFolder(), { recursive: true });
  const workshop = `${join(cacheFolder(), name)}-building-${process.pid}`;
  const output = name === 'kube-rs' ? join(cacheFolder(), name) : workshop;
  await build(name, peer, folder, output);
  if (peer.built(output) !== workshop) copyFileSync(peer.built(output), workshop);
  renameSync(workshop, program);
  return program;
}

function build(name, { command, args, environment, toolchain }, cwd, output) {
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '15', command, ...args(output)], {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-4000);
    });
    const fail = (reason) =>
      reject(
        new PeerUnavailableError(
          `${name} could not be built: ${reason}\nIt needs ${toolchain} and the registry of its packages; or leave it out of --peer.`,
        ),
      );
    child.on('error', ({ message }) => fail(message));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      // 127 and 126 are how nice says that there is no such program.
      else
        fail(code === 127 || code === 126 ? `there is no ${command}` : `${signal ?? code}: ${errors.trim()}`);
    });
  });
}

function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubeflect', 'bench');
}

function digestOf(folder, sources) {
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(folder, source)));
  return hash.digest('hex').slice(0, 16);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
