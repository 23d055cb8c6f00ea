/** What makes modules loadable, so that a hooks module can be TypeScript if the program is. The rest (`--eval`, `--input-type`, …) is the main thread's own. */
const INHERITED: ReadonlySet<string> = new Set([
  '--import',
  '--require',
  '-r',
  '--loader',
  '--experimental-loader',
  '--conditions',
  '-C',
]);

/** The flags of the process that a worker thread takes over. */
export function workerExecArgv(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((flag, i) => {
    const [name = '', value] = flag.split('=', 2);
    if (!INHERITED.has(name)) return [];
    const next = execArgv[i + 1];
    if (value !== undefined) return [flag];
    return next === undefined ? [] : [flag, next];
  });
}
