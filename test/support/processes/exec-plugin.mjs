// An exec plugin for tests: `node exec-plugin.mjs <folder> <mode> …`. Appends each run to <folder>/runs.jsonl, then
// acts according to the mode.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder, mode, ...rest] = process.argv;
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO ?? '{}');

appendFileSync(
  join(folder, 'runs.jsonl'),
  `${JSON.stringify({ pid: process.pid, rest, info, given: process.env.GIVEN, stdin: readFileSync(0, 'utf8') })}\n`,
);

/** Has the contents of <folder>/status.json, which a test may replace at any time. */
const credential = () => ({
  kind: 'ExecCredential',
  apiVersion: info.apiVersion,
  status: JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8')),
});

const modes = {
  answer: () => process.stdout.write(JSON.stringify(credential())),
  fail: () => {
    process.stderr.write(`error: ${process.env.SECRET}\n`);
    process.stdout.write(process.env.SECRET ?? '');
    process.exitCode = 3;
  },
  hang: () => setInterval(() => {}, 1000),
  flood: () => {
    const write = () => process.stdout.write('x'.repeat(1 << 16), write);
    write();
  },
  nonsense: () => process.stdout.write(`token: ${process.env.SECRET}`),
  otherVersion: () =>
    process.stdout.write(JSON.stringify({ ...credential(), apiVersion: 'client.authentication.k8s.io/v2' })),
};

modes[mode]();
