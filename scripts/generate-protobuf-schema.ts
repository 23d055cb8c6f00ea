/**
 * `npm run generate`: writes Kubernetes' protobuf schema and its test documents anew, as printed by the Go program in
 * scripts/protobuf-schema. With --check it writes nothing, and fails if a committed file differs from what would be
 * written. With --older it first writes older-releases.txt, which is to be done when go.mod gets another minor version.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { parseSchema, removedSince, type Schema, schemaText, withRemoved } from './merge-protobuf-schemas.js';

/** The releases whose removed kinds and fields are kept, newest first: all that may still be in use. */
const OLDER_RELEASES = ['0.36.6', '0.35.10', '0.34.13', '0.33.13', '0.32.13'];

const MODULES = ['api', 'apiextensions-apiserver', 'apimachinery', 'client-go', 'kube-aggregator'];

const isCheck = process.argv.includes('--check');
const goModule = new URL('../scripts/protobuf-schema/', import.meta.url);
const olderReleases = new URL('older-releases.txt', goModule);
const table = new URL('../src/kube/protobuf-schema/table.ts', import.meta.url);
const documents = new URL('../test/fixtures/protobuf-documents.br', import.meta.url);

const newest = parseSchema(run('schema').toString());
if (process.argv.includes('--older')) writeFileSync(olderReleases, schemaText(readOlderReleases(newest)));
putString(table, tableFile(withRemoved(newest, parseSchema(readFileSync(olderReleases, 'utf8')))));
putCompressed(documents, run('fixture'));

function tableFile(schema: Schema): string {
  const [kinds, messages] = schemaText(schema).trimEnd().split('\n\n');
  const version = /k8s\.io\/api v0\.(\S+)/.exec(readFileSync(new URL('go.mod', goModule), 'utf8'))?.[1];
  if (kinds === undefined || messages === undefined || version === undefined)
    throw new Error('the Go program printed no schema, or go.mod has no version of k8s.io/api');
  return [
    `/** The protobuf of Kubernetes 1.${version}. Written by \`npm run generate\`; read by the files beside it. */`,
    '',
    '/** A server of a newer minor version may have fields that are not in the table. */',
    `export const PROTOBUF_VERSION: string = '1.${version}';`,
    '',
    '// One group and version a line. docs/decisions/protobuf-schema.md tells how to read both tables.',
    `export const PROTOBUF_KINDS: string = \`\\\n${kinds}\`;`,
    '',
    '// One message a line.',
    `export const PROTOBUF_MESSAGES: string = \`\\\n${messages}\`;`,
    '',
  ].join('\n');
}

/** What the older releases have and the newest has not. Of two older ones that differ, the newer counts. */
function readOlderReleases(newestSchema: Schema): Schema {
  let removed: Schema = { kinds: new Map(), messages: new Map() };
  for (const release of OLDER_RELEASES) {
    const known = withRemoved(newestSchema, removed);
    removed = withRemoved(removed, removedSince(parseSchema(schemaOfRelease(release)), known));
  }
  return removed;
}

/** Runs the Go program with the modules of another release. */
function schemaOfRelease(release: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-schema-'));
  try {
    cpSync(goModule, folder, { recursive: true, filter: (path) => !/go\.(mod|sum)$/.test(path) });
    const requirements = MODULES.map((name) => `\tk8s.io/${name} v${release}\n`).join('');
    writeFileSync(join(folder, 'go.mod'), `module older\n\ngo 1.24\n\nrequire (\n${requirements})\n`);
    execFileSync('go', ['mod', 'tidy'], { cwd: folder, stdio: 'ignore' });
    return run('schema', folder).toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, folder: string = fileURLToPath(goModule)): Buffer {
  return execFileSync('go', ['run', '.', command], {
    cwd: folder,
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
