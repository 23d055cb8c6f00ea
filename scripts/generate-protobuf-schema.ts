/**
 * `npm run generate`: writes Kubernetes' protobuf schema and its test documents anew, as printed by the Go program in
 * scripts/protobuf-schema. With --check it writes nothing, and fails if a committed file differs from what would be
 * written.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const isCheck = process.argv.includes('--check');
const goModule = new URL('../scripts/protobuf-schema/', import.meta.url);
const table = new URL('../src/kube/protobuf-schema/table.ts', import.meta.url);
const documents = new URL('../test/fixtures/protobuf-documents.br', import.meta.url);

putString(table, tableFile(run('schema').toString()));
putCompressed(documents, run('fixture'));

function tableFile(schema: string): string {
  const [kinds, messages] = schema.trimEnd().split('\n\n');
  const version = /k8s\.io\/api v0\.(\S+)/.exec(readFileSync(new URL('go.mod', goModule), 'utf8'))?.[1];
  if (kinds === undefined || messages === undefined || version === undefined)
    throw new Error('the Go program printed no schema, or go.mod has no version of k8s.io/api');
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

function run(command: string): Buffer {
  return execFileSync('go', ['run', '.', command], {
    cwd: fileURLToPath(goModule),
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function putString(url: URL, content: string): void {
  if (!isCheck) writeFileSync(url, content);
  else if (readFileSync(url, 'utf8') !== content) throw notCurrent(url);
}

/** Node versions may compress differently: only the content is compared. */
function putCompressed(url: URL, content: Buffer): void {
  if (isCheck) {
    if (!brotliDecompressSync(readFileSync(url)).equals(content)) throw notCurrent(url);
    return;
  }
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  writeFileSync(url, brotliCompressSync(content, { params }));
}

function notCurrent(url: URL): Error {
  return new Error(`${fileURLToPath(url)} is not current: run npm run generate`);
}
