import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** As `npm ls --json` prints it. */
interface Tree {
  /** Undefined for an optional package that is not installed. */
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Tree>>;
}

const RUN_TIME_DEPENDENCIES = ['msgpackr', 'piscina', 'yaml'];
const CLIENT_NODE = 'node_modules/@kubernetes/client-node';

/** An empty folder into which the tarball was installed, as a user would. */
let consumer: string;
/** The command, in that folder. */
let bin: string;
let packed: { filename: string; files: { path: string }[] };
let manifest: Manifest;

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'kubeflect-consumer-'));
  bin = join(consumer, 'node_modules/.bin/kubeflect');
  const { stdout } = await run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', consumer],
    { cwd: ROOT },
  );
  packed = firstPackage(JSON.parse(stdout));
  manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `./${packed.filename}`], {
    cwd: consumer,
  });
}, 120_000);

afterAll(() => rm(consumer, { recursive: true, force: true }));

/** Of the version that the tests run with. */
async function installClientNode(): Promise<void> {
  await mkdir(join(consumer, 'node_modules/@kubernetes'), { recursive: true });
  const name = process.env['KUBEFLECT_CLIENT_NODE'] ?? '@kubernetes/client-node';
  await symlink(join(ROOT, 'node_modules', name), join(consumer, CLIENT_NODE)).catch(() => {});
}

/** npm prints an array; newer versions print an object by package name. */
function firstPackage(output: unknown): typeof packed {
  const [first] = Array.isArray(output) ? output : Object.values(output as object);
  return first as typeof packed;
}

describe('the packed package', () => {
  it('has at most 900 files, none of which is a source, a test or a build record', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toContain('dist/src/index.js');
    expect(paths).toContain('LICENSE');
    expect(paths.length).toBeLessThanOrEqual(900);
    expect(
      paths.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path)),
    ).toEqual([]);
    expect(paths.filter((path) => /tsbuildinfo|\.d\.[cm]?ts\.map$/.test(path))).toEqual([]);
  });

  it('has the embedded API server as one bundled program, beside the few modules that its handle imports', () => {
    const program = packed.files.map(({ path }) => path).filter((path) => path.startsWith('dist/apiserver/'));
    expect(program).toContain('dist/apiserver/bundle/main.js');
    expect(program.filter((path) => !/^dist\/apiserver\/(bundle|control)\//.test(path))).toEqual([]);
  });

  it('has every file that one of its modules or declarations imports', async () => {
    const paths = new Set(packed.files.map(({ path }) => path));
    const modules = [...paths].filter((path) => /\.(c?js|d\.ts)$/.test(path));
    const missing = await Promise.all(
      modules.map(async (path) => {
        const code = await readFile(join(consumer, 'node_modules/kubeflect', path), 'utf8');
        const targets = [...code.matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map(
          ([, specifier]) => posix.join(posix.dirname(path), specifier ?? ''),
        );
        return targets
          .map((target) => (path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target))
          .filter((target) => !paths.has(target))
          .map((target) => `${path} imports ${target}`);
      }),
    );
    expect(missing.flat()).toEqual([]);
  });

  it('has source maps that contain their sources', async () => {
    const maps = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.map'));
    const empty = await Promise.all(
      maps.map(async (path) => {
        const map = JSON.parse(await readFile(join(consumer, 'node_modules/kubeflect', path), 'utf8')) as {
          sourcesContent?: readonly string[];
        };
        return map.sourcesContent?.[0] === undefined ? [path] : [];
      }),
    );
    expect(empty.flat()).toEqual([]);
  });

  it('exports entries that each can be imported', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
    const specifiers = entries.map((entry) => `kubeflect${entry.slice(1)}`);
    const script = `for (const name of ${JSON.stringify(specifiers)}) await import(name);`;
    await run(process.execPath, ['--input-type=module', '-e', script], { cwd: consumer });
    expect(specifiers).toEqual([
      'kubeflect',
      'kubeflect/controller',
      'kubeflect/sharding',
      'kubeflect/cache',
      'kubeflect/client-node',
      'kubeflect/testing',
    ]);
  });

  it('type-checks in a strict project that checks its libraries too', async () => {
    await writeFile(
      join(consumer, 'use.ts'),
      `import * as kubeflect from 'kubeflect';
       import { type Informer, makeInformer } from 'kubeflect/client-node';
       import { startApiServer, type ApiServerHandle, type FaultSpec } from 'kubeflect/testing';
       const fault: FaultSpec = { match: { verb: 'list' }, fault: { type: 'cut', afterBytes: 10 } };
       // @ts-expect-error a fault that does not exist
       const wrong: FaultSpec = { fault: { type: 'nonsense' } };
       const listFn = async () => ({ items: [] });
       export const made: (config: Parameters<typeof makeInformer>[0]) => Informer<kubeflect.KubernetesObject> =
         (config) => makeInformer(config, '/api/v1/pods', listFn);
       export async function use(): Promise<string> {
         await using server: ApiServerHandle = await startApiServer({ tls: true });
         await server.faults.add(fault);
         return server.url + String(wrong) + Object.keys(kubeflect).length;
       }`,
    );
    await writeFile(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          module: 'NodeNext',
          target: 'ES2022',
          lib: ['ES2023', 'ESNext.Disposable'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
          types: ['node'],
        },
        files: ['use.ts'],
      }),
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', consumer], { cwd: consumer }).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout);
      },
    );
  }, 60_000);

  it('starts the embedded API server from where it was installed', async () => {
    const script = `
      import { startApiServer } from 'kubeflect/testing';
      const server = await startApiServer();
      await server.populate({ kind: 'Pod', count: 10 });
      const answer = await fetch(server.url + '/api/v1/pods');
      console.log((await answer.json()).items.length);
      await server.close();`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: consumer });
    expect(stdout.trim()).toBe('10');
  });

  it('installs the kubeflect command, whose demo runs', async () => {
    const { stdout } = await run(bin, ['demo', '--for', '3s', '--pods', '100'], { cwd: consumer });
    expect(stdout).toMatch(/synced after .*\npods 1\d\d {2}events/);
  });

  it('installs msgpackr, piscina and yaml, and neither client-node nor anything else that is not optional', async () => {
    const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: consumer });
    const { dependencies } = JSON.parse(stdout) as { dependencies: Record<string, Tree> };
    expect(Object.keys(dependencies)).toEqual(['kubeflect']);
    const installed = Object.entries(dependencies['kubeflect']?.dependencies ?? {})
      .filter(([, { version }]) => version !== undefined)
      .map(([name]) => name);
    expect(installed).toEqual(RUN_TIME_DEPENDENCIES);
    expect(manifest.peerDependencies).toEqual({ '@kubernetes/client-node': '^1.4 || ^2' });
    expect(existsSync(join(consumer, CLIENT_NODE))).toBe(false);
  });

  it('uses client-node for auth providers once it is installed, and says what to install before', async () => {
    const token = ['{}', '{"exp":32472144000}', 'signature'].map((part) => btoa(part)).join('.');
    const config = join(consumer, 'oidc');
    await writeFile(
      config,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } } }],
      }),
    );
    const doctor = (): Promise<string> =>
      run(bin, ['doctor', '--kubeconfig', config], { cwd: consumer }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    expect(await doctor()).toMatch(/^FAIL {2}credentials .*: npm install @kubernetes\/client-node$/m);
    await installClientNode();
    expect(await doctor()).toMatch(/^FAIL {2}server .*ECONNREFUSED/m);
  }, 30_000);

  it('runs the first program of the README against kubeflect serve', async () => {
    const readme = await readFile(join(consumer, 'node_modules/kubeflect/README.md'), 'utf8');
    const [, program = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
    await writeFile(join(consumer, 'first.mts'), program);
    await installClientNode();
    const options = [
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, ...options, ...types, 'first.mts'], { cwd: consumer }).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout);
      },
    );
    const config = join(consumer, 'kubeconfig');
    const serve = spawn(bin, ['serve', '--pods', '3', '--kubeconfig', config], { cwd: consumer });
    const ended = new Promise((resolve) => serve.once('exit', resolve));
    try {
      await expect.poll(() => existsSync(config), { timeout: 20_000 }).toBe(true);
      const env = { ...process.env, KUBECONFIG: config };
      const { stdout, stderr } = await run(process.execPath, ['first.mjs'], { cwd: consumer, env });
      expect(stderr).toBe('');
      expect(stdout.match(/^added /gm)).toHaveLength(3);
      const doctor = await run(bin, ['doctor'], { cwd: consumer, env });
      expect(doctor.stdout).toMatch(/^ok {4}may watch/m);
    } finally {
      serve.kill('SIGINT');
      expect(await ended).toBe(0);
    }
  }, 60_000);

  it('reports that benchmarks need the repository', async () => {
    await expect(run(bin, ['bench', 'sync'], { cwd: consumer })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run bench -- sync'),
    });
  });

  it('contains no path of the machine that built it', async () => {
    const { stdout } = await run('grep', ['-rlF', ROOT, join(consumer, 'node_modules/kubeflect')]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
