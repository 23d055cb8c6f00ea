import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

const guide = readFileSync(join(ROOT, 'docs/migrating.md'), 'utf8');
const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

/** The one that tests use on this Node; see vitest.config.ts. */
const CLIENT_NODE = process.env['KUBEFLECT_CLIENT_NODE'] ?? '';

/** What each block prints, in order, against a server with one pod. */
const PRINTED = [
  ['added checkout-7', '1 node-17'],
  [],
  ['added default/checkout-7', 'node-17', '1 synced'],
  [`[ 'default/settings' ] 7`],
];

/** Inside the project, where `kubeflect` means the built files. */
let folder: string;
let server: ApiServerHandle;

beforeAll(async () => {
  server = await startApiServer();
  await server.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'checkout-7', namespace: 'default' },
    spec: { nodeName: 'node-17', containers: [{ name: 'main', image: 'example.com/app:1' }] },
  });
  mkdirSync(join(ROOT, 'dist-test'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'dist-test', 'migrating-'));
  writeFileSync(join(folder, 'kubeconfig'), server.kubeConfig);
  for (const [i, text] of blocks.entries()) {
    writeFileSync(join(folder, `block-${i}.mts`), text.replaceAll('@kubernetes/client-node', CLIENT_NODE));
  }
  const options = { rootDir: '.', types: ['node'], skipLibCheck: true };
  const config = { extends: '../../tsconfig.base.json', compilerOptions: options, include: ['*.mts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
}, 60_000);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

it('the guide has these blocks', () => {
  expect(blocks).toHaveLength(PRINTED.length);
});

it.each(PRINTED.map((lines, i) => ({ i, lines })))(
  'block $i runs and prints $lines',
  async ({ i, lines }) => {
    const { stdout, stderr } = await run(process.execPath, [join(folder, `block-${i}.mjs`)], {
      env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') },
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(lines);
  },
);
