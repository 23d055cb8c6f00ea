import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileBench } from '../bench/compiled-bench.js';
import { Cli, runCli } from '../support/processes/cli.js';
import { ROOT } from '../support/source/source-files.js';

let server: ApiServerHandle;
let folder: string;
let environment: { KUBECONFIG: string };

beforeAll(async () => {
  server = await startApiServer();
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-cli-'));
  writeFileSync(join(folder, 'config'), server.kubeConfig);
  environment = { KUBECONFIG: join(folder, 'config') };
  for (const [name, nodeName] of Object.entries({ a: 'node-1', b: 'node-2', c: 'node-1' })) {
    const metadata = { name, namespace: 'default', labels: { tier: name } };
    const spec = { nodeName, containers: [{ name: 'main', image: 'example.com/app:1' }] };
    await server.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  }
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const COMMANDS = ['watch', 'top', 'doctor', 'ring', 'serve', 'demo', 'bench'];

describe('kubeflect', () => {
  it('prints its commands, and for every command its usage and options', async () => {
    const [all, ...each] = await Promise.all([
      runCli(['--help']),
      ...COMMANDS.map((name) => runCli([name, '--help'])),
    ]);
    expect(all?.code).toBe(0);
    expect([...(all?.stdout ?? '').matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name)).toEqual(COMMANDS);
    for (const [i, { code, stdout }] of each.entries()) {
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^[A-Z].+\\n\\nUsage: kubeflect ${COMMANDS[i]} `));
      expect(stdout).toContain('--help');
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
    }
  });

  it('names the commands of its package in the table of the README', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, table = ''] = readme.split('\n## The command line\n');
    const named = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(COMMANDS.filter((name) => name !== 'bench').sort());
  });

  it('exits with 2 and an error on standard error if its usage is invalid', async () => {
    const results = await Promise.all([
      runCli([]),
      runCli(['nonsense']),
      runCli(['watch']),
      runCli(['watch', 'pods', '--nonsense']),
      runCli(['watch', 'pods', '-o', 'nonsense']),
      runCli(['watch', 'pods', 'nodes']),
      runCli(['serve', '--port', '-1']),
      runCli(['top', '--interval', 'soon']),
      runCli(['serve', '--kubeconfig', join(folder, 'nowhere', 'config')]),
    ]);
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 2));
    for (const { stderr } of results.slice(1)) expect(stderr).toMatch(/^kubeflect.*: .+\n/);
  });

  it('names an unknown option, a missing value and an unexpected argument', async () => {
    const [unknown, short, missing, dash, extra, command] = await Promise.all([
      runCli(['watch', 'pods', '--namspace', 'shop']),
      runCli(['watch', 'pods', '-z']),
      runCli(['watch', 'pods', '--namespace']),
      runCli(['serve', '--pods', '-1']),
      runCli(['watch', 'pods', 'nodes']),
      runCli(['wacth']),
    ]);
    expect(unknown.stderr).toMatch(/^kubeflect watch: unknown option --namspace\n/);
    expect(short.stderr).toMatch(/^kubeflect watch: unknown option -z\n/);
    expect(missing.stderr).toMatch(/^kubeflect watch: option -n, --namespace requires a value\n/);
    expect(dash.stderr).toMatch(/^kubeflect serve: option --pods requires a value\n/);
    expect(extra.stderr).toMatch(/^kubeflect watch: unexpected argument 'nodes'\n/);
    expect(command.stderr).toMatch(/^kubeflect: unknown command "wacth"\n/);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('exits with 1 and one line if there is no kubeconfig, or the server is unreachable', async () => {
    const file = join(folder, 'dead');
    writeFileSync(file, server.kubeConfig.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    const [missing, dead] = await Promise.all([
      runCli(['watch', 'pods']),
      runCli(['watch', 'pods', '--kubeconfig', file]),
    ]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/^kubeflect watch: no kubeconfig found: .*\n$/);
    expect(dead.code).toBe(1);
    expect(dead.stderr).toMatch(/^kubeflect watch: .*ECONNREFUSED.*\n$/);
  });
});

describe('kubeflect watch', () => {
  it('prints the existing objects, in each output format', async () => {
    const once = (...args: string[]) => runCli(['watch', ...args, '--once'], environment);
    const [plain, names, wide, json, selected, index] = await Promise.all([
      once('pods', '-A'),
      once('po', '-o', 'name'),
      once('Pod', '-o', 'wide'),
      once('pods.v1', '-o', 'json'),
      once('pod', '-l', 'tier in (a,b)', '--field-selector', 'spec.nodeName=node-1'),
      once('pods', '--index', 'spec.nodeName'),
    ]);
    expect(plain).toMatchObject({ code: 0, stderr: '3 pods\n' });
    expect(plain.stdout.split('\n').sort()).toEqual([
      '',
      'ADDED     default/a',
      'ADDED     default/b',
      'ADDED     default/c',
    ]);
    expect(names.stdout).toBe('pods/default/a\npods/default/b\npods/default/c\n');
    expect(wide.stdout).toMatch(/^EVENT +NAMESPACE +NAME .*\nADDED +default +a +\d+ +\S+ \w+ +Pending/);
    const objects = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: { kind: string } });
    expect(objects.map(({ type, object }) => [type, object.kind])).toEqual(
      objects.map(() => ['ADDED', 'Pod']),
    );
    expect(selected.stdout).toBe('ADDED     default/a\n');
    expect(index.stdout).toContain('ADDED     default/a node-1\n');
    expect(index.stderr).toBe('3 pods\nby spec.nodeName: node-1 2, node-2 1\n');
  });

  it('prints changes until Ctrl-C, and exits with 0', async () => {
    const watch = new Cli(['watch', 'configmaps', '--watch-only'], environment);
    await expect.poll(() => watch.stderr).toMatch(/^\d+ configmaps\n/);
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'news', namespace: 'default' },
    };
    await server.create(configMap);
    await expect.poll(() => watch.stdout).toContain('ADDED     default/news\n');
    await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'news', namespace: 'default' });
    await expect.poll(() => watch.stdout).toContain('DELETED   default/news\n');
    watch.interrupt();
    expect(await watch.exited).toMatchObject({ code: 0 });
  });

  it('exits with 0 when the reader of its output closes the pipe', async () => {
    const watch = new Cli(['watch', 'pods', '-A', '-o', 'json'], environment);
    await expect.poll(() => watch.stderr).toBe('3 pods\n');
    watch.closeOutput();
    await server.patch(
      { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'default' },
      { metadata: { labels: { more: 'x' } } },
    );
    expect(await watch.exited).toMatchObject({ code: 0, stderr: '3 pods\n' });
  });

  it('exits with 1 if the resource does not exist, or may not be listed', async () => {
    const id = await server.faults.add({
      match: { path: '/api/v1/namespaces/default/secrets' },
      fault: { type: 'status', code: 403, reason: 'Forbidden', message: 'secrets is forbidden' },
    });
    const [unknown, forbidden] = await Promise.all([
      runCli(['watch', 'nonsense'], environment),
      runCli(['watch', 'secrets'], environment),
    ]);
    await server.faults.remove(id);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/no listable resource "nonsense"/);
    expect(forbidden).toMatchObject({ code: 1, stdout: '' });
    expect(forbidden.stderr).toMatch(/kubeflect doctor secrets/);
  });

  it('exits with 1 and the message of the server for an invalid selector', async () => {
    const [label, field] = await Promise.all([
      runCli(['watch', 'pods', '-l', 'a=b=c'], environment),
      runCli(['watch', 'pods', '--field-selector', 'spec.nonsense=1', '--once'], environment),
    ]);
    expect(label).toMatchObject({ code: 1, stdout: '' });
    expect(label.stderr).toMatch(/^kubeflect watch: failed to list .*: found '=', expected.*\n$/);
    expect(field).toMatchObject({ code: 1, stdout: '' });
    expect(field.stderr).toMatch(/^kubeflect watch: failed to list .*: field label not supported.*\n$/);
  });
});

describe('kubeflect serve', () => {
  it('writes a kubeconfig that works, and deletes it when it stops', async () => {
    const file = join(folder, 'served');
    const serve = new Cli([
      'serve',
      '--kubeconfig',
      file,
      '--pods',
      '20',
      '--tls',
      '--token',
      'abc-123',
      '--json',
    ]);
    await expect.poll(() => serve.stdout).toMatch(/\n/);
    const { url, kubeconfig } = JSON.parse(serve.stdout) as Record<string, string>;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(kubeconfig).toBe(file);
    const watch = await runCli(['watch', 'pods', '-A', '--once', '-o', 'name', '--kubeconfig', file]);
    expect(watch.stdout.trim().split('\n')).toHaveLength(20);
    serve.interrupt();
    expect(await serve.exited).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('names the Kubernetes version that it emulates', async () => {
    const response = await fetch(`${server.url}/version`);
    const { gitVersion } = (await response.json()) as { gitVersion: string };
    expect(server.gitVersion).toBe(gitVersion);
    const [text, json] = await Promise.all([
      runCli(['serve', '--for', '1s']),
      runCli(['serve', '--for', '1s', '--json']),
    ]);
    expect(text.stdout).toContain(`embedded API server, as Kubernetes ${gitVersion}, at http://127.0.0.1:`);
    expect(JSON.parse(json.stdout)).toMatchObject({ kubernetes: gitVersion });
  });

  it('does not overwrite a kubeconfig that it did not write', async () => {
    const file = join(folder, 'precious');
    writeFileSync(file, 'apiVersion: v1\nkind: Config\n');
    const { code, stderr } = await runCli(['serve', '--kubeconfig', file, '--for', '1s']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/exists and was not written by/);
  });
});

describe('kubeflect top', () => {
  it('prints lines until Ctrl-C if its output is not a terminal', async () => {
    const top = new Cli(['top', 'pods', 'nodes', '-A', '--interval', '200ms'], environment);
    await expect
      .poll(() => top.stdout)
      .toMatch(/^pods synced {2}objects 3 {2}events\/s .* {2}memory \d+ MB$/m);
    await expect.poll(() => top.stdout).toMatch(/^nodes synced {2}objects 0 /m);
    top.interrupt();
    expect(await top.exited).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints why a list fails', async () => {
    const id = await server.faults.add({
      match: { path: '/api/v1/secrets' },
      fault: { type: 'status', code: 403, reason: 'Forbidden', message: 'secrets is forbidden' },
    });
    const top = new Cli(['top', 'secrets', '-A', '--interval', '200ms'], environment);
    await expect.poll(() => top.stdout).toMatch(/^secrets syncing .* {2}last error .*secrets is forbidden$/m);
    top.interrupt();
    await top.exited;
    await server.faults.remove(id);
  });

  it('prints JSON with --json', async () => {
    const top = new Cli(['top', '-A', '--json', '--interval', '200ms'], environment);
    await expect.poll(() => top.stdout).toContain('"state":"synced"');
    top.interrupt();
    const { stdout } = await top.exited;
    const [line = ''] = stdout.split('\n').filter((text) => text.includes('"state":"synced"'));
    expect(JSON.parse(line)).toMatchObject({
      informers: [{ name: 'pods', state: 'synced', objects: 3, total: 3, relists: 0 }],
      eventLoop: { max: expect.any(Number) },
      memory: { rss: expect.any(Number) },
      workers: [{ restarts: 0 }],
    });
  });
});

describe('kubeflect bench', () => {
  it('runs the benchmarks of the repository, which list their cases', async () => {
    await compileBench();
    const { stdout, stderr } = await runCli(['bench', 'nonsense']);
    expect(stdout + stderr).toMatch(/\bsync\b/);
  });
});
