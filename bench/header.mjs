/** What somebody needs to know to repeat a run, and to judge it. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

export function headerOf(name, args) {
  return {
    case: name,
    command: `npm run bench -- ${[name, ...args].join(' ')}`.trimEnd(),
    date: new Date().toISOString().slice(0, 10),
    machine: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
  };
}

export function headerLines({ command, date, machine, cores, memoryGB, system, node, commit }) {
  return [
    `${machine}, ${cores} cores, ${memoryGB} GB, ${system}, Node ${node}`,
    `${commit}, ${date}`,
    command,
  ];
}

/** With a mark when there are changes that no commit has; documents do not count, as a run may write them. */
function commit() {
  try {
    const git = (...args) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(top,exclude)docs');
    const isChanged = changes !== '';
    return `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'no commit';
  }
}
