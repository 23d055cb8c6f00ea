/** What a reader needs to repeat a run, and to judge it. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

export interface Header {
  readonly case: string;
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
}

export function headerOf(
  name: string,
  args: readonly string[],
  command: string = ['npm run bench --', name, ...args].join(' '),
): Header {
  return {
    case: name,
    command,
    date: new Date().toISOString().slice(0, 10),
    machine: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
  };
}

export interface HeaderLines {
  readonly machine: string;
  readonly commit: string;
  readonly command: string;
}

export function headerLines({
  command,
  date,
  machine,
  cores,
  memoryGB,
  system,
  node,
  commit,
}: Header): HeaderLines {
  return {
    machine: `${machine}, ${cores} cores, ${memoryGB} GB, ${system}, Node ${node}`,
    commit: `${commit}, ${date}`,
    command,
  };
}

/** Marked when there are uncommitted changes; documents do not count, as a run may write them. */
function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(top,exclude)docs');
    return `commit ${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : ' with changes'}`;
  } catch {
    return 'no commit';
  }
}
