/** Contenders in fresh processes, in turns: round by round, so that what the machine does meanwhile falls on all of them. */
import { spawn } from 'node:child_process';
import { withIdentity } from './identity.mjs';

/**
 * Results by contender. `around` gets each run and may add to its result; `check` throws if a result is wrong. Warm-up rounds are
 * run and checked like the others, and not counted.
 */
export async function runRounds({ contenders, task, rounds, warmUp = 1, check, around = (run) => run() }) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const contender of contenders) {
      const result = await around(() => runOnce(contender, task));
      check(contender.name, result);
      if (round >= 0) results.get(contender.name).push(result);
    }
  }
  return results;
}

/** The last line that the process printed. */
export function runOnce({ name, command: [program, ...args], task: own, environment }, task) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(last));
      else reject(new Error(`${name} ended with ${signal ?? code}`));
    });
    // One that ended before it read its task says why by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(withIdentity({ ...task, ...own })));
  });
}

/** Throws unless the result has these values. */
export function expectSame(name, result, expected) {
  for (const [field, value] of Object.entries(expected)) {
    if (result[field] !== value)
      throw new Error(`${name} has the ${field} ${result[field]}, the server ${value}`);
  }
}
