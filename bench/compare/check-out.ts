/** Another commit of this repository, built in a temporary folder, with the contenders of the working tree in it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT as ROOT_URL } from '../repository.js';
import { CONTENDERS_FOLDER } from '../runner/contenders.js';

const ROOT = fileURLToPath(ROOT_URL);

export interface CheckedOut {
  readonly commit: string;
  /** The folder of the compiled contenders. */
  readonly contenders: URL;
  remove(): void;
}

export function checkOut(ref: string): CheckedOut {
  const commit = git('rev-parse', '--short', `${ref}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-compare-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  try {
    git('worktree', 'add', '--quiet', '--detach', '--force', folder, commit);
    console.error(`building ${commit}`);
    if (isSame(folder, 'package-lock.json'))
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else npm(folder, 'ci');
    npm(folder, 'run', 'build');
    return { commit, contenders: copyContenders(folder), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * The same compiled programs measure both commits. They import nothing but their own folder and the package
 * `kubeflect`, which is the one that contains them: so only the public entry of another commit has to fit, not its
 * layout.
 */
function copyContenders(folder: string): URL {
  const contenders = join(folder, 'compared-contenders');
  cpSync(fileURLToPath(CONTENDERS_FOLDER), contenders, { recursive: true });
  return pathToFileURL(`${contenders}/`);
}

function isSame(folder: string, file: string): boolean {
  return readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, file)));
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
