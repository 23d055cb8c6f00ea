import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ApiServerHandle } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProgram, line, type Program } from '../support/processes/program.js';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

function pod(server: ApiServerHandle, name: string, namespace: string): Promise<unknown> {
  const spec = { nodeName: 'node-00017', containers: [{ name: 'main', image: 'example.com/app:1' }] };
  return server.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec });
}

async function shop(server: ApiServerHandle): Promise<void> {
  await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await pod(server, 'checkout-7', 'shop');
}

function settings(server: ApiServerHandle): Promise<unknown> {
  const metadata = { name: 'settings', namespace: 'default' };
  return server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

async function defineShops(server: ApiServerHandle): Promise<void> {
  await server.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'shops', singular: 'shop', kind: 'Shop' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
}

/** The input and output of the programs of each document, in order. docs/migrating.md has its own test. */
const DOCUMENTS: Readonly<Record<string, readonly Omit<Program, 'file'>[]>> = {
  'README.md': [
    { prepare: shop, prints: ['added shop/checkout-7', 'checkout-7 is Pending'], inAnyOrder: true },
    { prepare: shop, prints: ['shop/checkout-7 is Pending'] },
    { prints: [] },
  ],
  'docs/controllers.md': [
    { prints: [] },
    {
      prepare: settings,
      meanwhile: async (_, printed) => {
        await line(printed, /reconciling/);
        process.emit('SIGTERM');
      },
      prints: ['reconciling default/settings'],
    },
    { prints: [] },
    { prints: [] },
    { prints: ['function function function'] },
    { prints: ['shop-child belongs to shop', 'cleaning up after shop'] },
    { prints: ['working on shop/checkout-7'] },
  ],
  'docs/coming-from-controller-runtime.md': [{ prepare: defineShops, prints: [] }],
  'docs/coming-from-fluent-client.md': [{ prints: [] }],
  'docs/credentials.md': [{ prints: [] }],
  'docs/operating.md': [{ prints: ['true true'] }],
  'docs/sharding.md': [
    { prints: ['8'] },
    { prints: ["{ of: 4, used: 1, reason: 'small' }"] },
    { prints: [] },
  ],
  'docs/testing.md': [{ prints: ['[]'] }],
  'docs/warm-start.md': [{ prints: ['from a list'] }],
  'docs/tuning.md': [{ prepare: shop, prints: ['checkout-7 undefined'] }],
};

const ELSEWHERE = ['docs/migrating.md'];

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(document: string): Block[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }));
}

/** Inside the project, where `kubeflect` resolves to the built files. */
let folder: string;

const nameOf = (document: string, i: number): string => `${document.replace(/\W/g, '-')}-${i}`;

beforeAll(async () => {
  mkdirSync(join(ROOT, 'dist-test'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'dist-test', 'blocks-'));
  for (const document of Object.keys(DOCUMENTS)) {
    const blocks = blocksOf(document);
    for (const [i, { text }] of blocks.filter(({ language }) => language === 'ts').entries()) {
      writeFileSync(join(folder, `${nameOf(document, i)}.mts`), text);
    }
    // The first line of a file that a program needs is its name.
    for (const { text } of blocks.filter(({ language }) => language === 'js')) {
      const [, name = ''] = /^\/\/ ([\w.-]+)/.exec(text) ?? [];
      writeFileSync(join(folder, name), text);
    }
  }
  const options = { rootDir: '.', types: ['node'], skipLibCheck: true };
  const config = { extends: '../../tsconfig.base.json', compilerOptions: options, include: ['*.mts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

it('every document with a program is tested', () => {
  const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'api.md')
    .map((file) => `docs/${file}`);
  const withPrograms = ['README.md', 'CONTRIBUTING.md', 'examples/README.md', ...documents].filter(
    (document) =>
      blocksOf(document).some(({ language }) => /^(ts|typescript|js|javascript|mts|mjs)$/.test(language)),
  );
  expect(withPrograms.sort()).toEqual([...Object.keys(DOCUMENTS), ...ELSEWHERE].sort());
});

it('every code block has a language', () => {
  for (const document of ['README.md', 'CONTRIBUTING.md', ...Object.keys(DOCUMENTS)]) {
    expect(
      blocksOf(document).filter(({ language }) => !/^(ts|js|sh|text|yaml|go)$/.test(language)),
      document,
    ).toEqual([]);
  }
});

describe.each(Object.entries(DOCUMENTS))('%s', (document, programs) => {
  it('has the expected number of programs', () => {
    expect(blocksOf(document).filter(({ language }) => language === 'ts')).toHaveLength(programs.length);
  });

  it.each(programs.map((program, i) => ({ program, i })))(
    'program $i runs and prints what it should',
    ({ program, i }) =>
      expectProgram({ ...program, file: pathToFileURL(join(folder, `${nameOf(document, i)}.mjs`)) }),
  );
});

it('the README has at most the allowed number of lines', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n').length).toBeLessThan(200);
});
