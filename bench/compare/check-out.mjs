/** Another commit of this repository, built in a folder of its own, with the contender of this one in it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function checkOut(ref) {
  const commit = git('rev-parse', '--short', `${ref}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-compare-'));
  const remove = async () => {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  try {
    git('worktree', 'add', '--detach', '--force', folder, commit);
    console.error(`building ${commit}`);
    if (areSame(folder, 'package-lock.json'))
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else npm(folder, 'ci');
    npm(folder, 'run', 'build');
    // The same code measures both; by its place it finds the engine of its own commit.
    const contenders = join(folder, 'bench', 'compared-contenders');
    cpSync(join(ROOT, 'bench', 'contenders'), contenders, { recursive: true });
    return { commit, contender: join(contenders, 'kubeflect.mjs'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function areSame(folder, file) {
  return readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, file)));
}

function git(...args) {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function npm(cwd, ...args) {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
