/**
 * Runs contenders in fresh processes, round by round, so that other load on the machine affects all of them alike.
 */
import { spawn } from 'node:child_process';
import type { ContenderResult, Task } from '../contenders/task.js';
import type { Contender } from './contenders.js';
import { withIdentity } from './identity.js';

export interface RoundsOptions<R extends ContenderResult> {
  readonly contenders: readonly Contender[];
  readonly task: Task;
  readonly rounds: number;
  /** Rounds that are run and checked like the others, and not counted. */
  readonly warmUp: number;
  /** Gets each run, and may add to its result. */
  readonly around: (run: () => Promise<ContenderResult>) => Promise<R>;
  /** Throws if a result is wrong. */
  readonly check: (name: string, result: R) => void;
}

/** The results of each contender, by its name. */
export async function runRounds<R extends ContenderResult>(
  options: RoundsOptions<R>,
): Promise<Map<string, R[]>> {
  const { contenders, task, rounds, warmUp, around, check } = options;
  const runs = contenders.map((contender) => ({ contender, results: [] as R[] }));
  for (let round = -warmUp; round < rounds; round++) {
    for (const { contender, results } of runs) {
      const result = await around(() => runContender(contender, task));
      check(contender.name, result);
      expectEncoding(contender.name, { ...task, ...contender.task }, result);
      if (round >= 0) results.push(result);
    }
  }
  return new Map(runs.map(({ contender, results }) => [contender.name, results]));
}

/** Nothing around a run. */
export function plainly(run: () => Promise<ContenderResult>): Promise<ContenderResult> {
  return run();
}

/** Runs a contender once. The result is not checked. */
export function runContender(
  { name, command, task: own, environment }: Contender,
  task: Task,
): Promise<ContenderResult> {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(last) as ContenderResult);
      else reject(new Error(`${name} exited with ${signal ?? `code ${code}`}`));
    });
    // A contender that exits before it has read its task is reported by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(withIdentity({ ...task, ...own })));
  });
}

/** Throws unless the result has these values. */
export function expectSame<R extends object>(name: string, result: R, expected: Partial<R>): void {
  for (const [field, value] of Object.entries(expected)) {
    const actual = Object.entries(result).find(([key]) => key === field)?.[1];
    if (actual !== value) throw new Error(`${name} has ${field} ${actual}, expected ${value}`);
  }
}

/** A row that is labelled with an encoding was measured with it. */
function expectEncoding(name: string, { encoding }: Task, result: ContenderResult): void {
  if (encoding !== undefined && encoding !== 'auto' && result.encoding !== encoding)
    throw new Error(`${name} read ${result.encoding}, expected ${encoding}`);
}
