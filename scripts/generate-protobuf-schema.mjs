// `npm run generate`: writes anew what scripts/protobuf-schema, a Go program, knows of Kubernetes' protobuf.
// With --check it writes nothing and fails where a committed file is not what would be written.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const isCheck = process.argv.includes('--check');
const module = new URL('./protobuf-schema/', import.meta.url);
const table = new URL('../src/kube/protobuf-schema/table.ts', import.meta.url);

put(table, tableFile(run('schema').toString()));

function tableFile(schema) {
  const [kinds, messages] = schema.trimEnd().split('\n\n');
  const [, version] = /k8s\.io\/api v0\.(\S+)/.exec(readFileSync(new URL('go.mod', module), 'utf8'));
  return [
    `/** The protobuf of Kubernetes 1.${version}. Written by \`npm run generate\`; read by the files beside it. */`,
    '',
    '// One group and version a line. docs/decisions/protobuf-schema.md tells how to read both tables.',
    `export const PROTOBUF_KINDS: string = \`\\\n${kinds}\`;`,
    '',
    '// One message a line.',
    `export const PROTOBUF_MESSAGES: string = \`\\\n${messages}\`;`,
    '',
  ].join('\n');
}

function run(command) {
  return execFileSync('go', ['run', '.', command], {
    cwd: fileURLToPath(module),
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function put(url, content) {
  if (!isCheck) writeFileSync(url, content);
  else if (readFileSync(url, 'utf8') !== content) {
    throw new Error(`${fileURLToPath(url)} is not current: run npm run generate`);
  }
}
