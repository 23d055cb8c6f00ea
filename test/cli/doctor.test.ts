import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerOptions, startApiServer } from 'kubeflect/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CliResult, runCli } from '../support/processes/cli.js';

interface KubeConfig {
  clusters: { cluster: Record<string, unknown> }[];
  users: { user: Record<string, unknown> }[];
}

/** A server, and the doctor with a kubeconfig for it, which `edit` may break. */
async function fixture(options: ServerOptions, edit: (config: KubeConfig) => void = () => {}) {
  const server = await startApiServer(options);
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-doctor-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });
  const config = JSON.parse(server.kubeConfig) as KubeConfig;
  edit(config);
  const file = join(folder, 'config');
  writeFileSync(file, JSON.stringify(config));
  return {
    server,
    doctor: (...args: string[]): Promise<CliResult> => runCli(['doctor', '--kubeconfig', file, ...args]),
  };
}

interface Diagnosis {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly verdict: string;
    readonly fault?: string;
    readonly detail: string;
  }[];
}

function faults({ stdout }: CliResult): [verdict: string, fault: string | undefined][] {
  const { findings } = JSON.parse(stdout) as Diagnosis;
  return findings
    .filter(({ verdict }) => !['ok', 'unknown'].includes(verdict))
    .map(({ verdict, fault }) => [verdict, fault]);
}

/** A JSON web token. */
function jwt(expiresInSeconds: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Math.floor(Date.now() / 1000) + expiresInSeconds })}.signature`;
}

describe('kubeflect doctor', () => {
  it('reports ok for every check if an informer can work', async () => {
    const { doctor } = await fixture({ tls: true, token: 'right-token' });
    const { code, stdout } = await doctor();
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.slice(0, 22).trim())).toEqual([
      'ok    kubeconfig',
      'ok    server',
      'ok    protobuf',
      'ok    round trip',
      'ok    resource',
      'ok    may list',
      'ok    may watch',
      'ok    streaming list',
      'ok    bookmarks',
      '?     gzip',
    ]);
    expect(stdout).toContain('version v1.37.1');
  });

  it('reports a missing permission, and the role that grants it', async () => {
    const { server, doctor } = await fixture({});
    await server.faults.add({
      match: { verb: 'watch', path: '/api/v1/namespaces/shop/configmaps' },
      fault: {
        type: 'status',
        code: 403,
        reason: 'Forbidden',
        message: 'configmaps is forbidden: User "jane" cannot watch',
      },
    });
    const { code, stdout } = await doctor('configmaps', '-n', 'shop');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {4}may list /m);
    expect(stdout).toMatch(/^FAIL {2}may watch +configmaps is forbidden: User "jane" cannot watch$/m);
    expect(stdout).toContain(
      '→ give the user a Role and RoleBinding in shop with verbs [list, watch] on configmaps',
    );
  });

  it('names one aggregated API that never answers (rancher/steve#1229)', async () => {
    const { server, doctor } = await fixture({});
    await server.faults.add({ match: { path: '/apis/apps/v1/deployments' }, fault: { type: 'stall' } });
    const { code, stdout } = await doctor('deployments');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAIL {2}may list +the server responds, but not to list \/apis\/apps\/v1\/deployments$/m,
    );
    expect(stdout).toContain('kubectl get apiservice v1.apps');
    expect((await doctor('pods')).code).toBe(0);
    const requests = await server.requests();
    expect(requests.filter(({ path }) => path.includes('deployments'))).toHaveLength(1);
  });

  it('reports a missing permission to list while watch is allowed', async () => {
    const { server, doctor } = await fixture({});
    const message = 'configmaps is forbidden: User "jane" cannot list resource "configmaps"';
    await server.faults.add({
      match: { verb: 'list', path: '/api/v1/configmaps' },
      fault: { type: 'status', code: 403, reason: 'Forbidden', message },
    });
    const { code, stdout } = await doctor('configmaps');
    expect(code).toBe(1);
    expect(stdout).toContain(`may list        ${message}`);
    expect(stdout).toMatch(/^ok {4}may watch /m);
  });

  it('reports a wrong certificate authority', async () => {
    const other = await startApiServer({ tls: true });
    await other.close();
    const { doctor } = await fixture({ tls: true }, ({ clusters: [cluster] }) => {
      Object.assign(cluster?.cluster ?? {}, {
        'certificate-authority-data': Buffer.from(other.ca ?? '').toString('base64'),
      });
    });
    const result = await doctor('--json');
    expect(result.code).toBe(1);
    expect(faults(result)).toEqual([['fail', 'wrong-ca']]);
  });

  it('reports an expired token and a rejected one, without printing them', async () => {
    const withToken = (token: string) =>
      fixture(
        { token: 'right-token' },
        ({ users: [user] }) => void Object.assign(user?.user ?? {}, { token }),
      );
    const expiredToken = jwt(-3600);
    const [expired, wrong] = await Promise.all([
      withToken(expiredToken).then(({ doctor }) => doctor('--json')),
      withToken('wrong-token').then(({ doctor }) => doctor('--json')),
    ]);
    expect(faults(expired)).toEqual([['fail', 'expired-token']]);
    expect(faults(wrong)).toEqual([['fail', 'unauthorized']]);
    expect(expired.stdout + expired.stderr).not.toContain(expiredToken);
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong-token');
  });

  it('reports an unreachable server', async () => {
    const { doctor } = await fixture(
      {},
      ({ clusters: [cluster] }) =>
        void Object.assign(cluster?.cluster ?? {}, { server: 'http://127.0.0.1:1' }),
    );
    const result = await doctor('--json');
    expect(result.code).toBe(1);
    expect(faults(result)).toEqual([['fail', 'unreachable']]);
    expect(result.stdout).toContain('ECONNREFUSED');
  });

  it.each([
    ['v1.32.13', 'ok', 'the schema (Kubernetes 1.37) is as new as the server'],
    ['v1.37.1+k3s1', 'ok', 'the schema (Kubernetes 1.37) is as new as the server'],
    [
      'v1.38.0-alpha.1',
      'warn',
      'the server is newer than the schema (Kubernetes 1.37): built-in kinds with new',
    ],
    ['v1.100.0', 'warn', 'the server is newer than the schema'],
  ])(
    'tells whether the protobuf schema is as new as a server %s: %s',
    async (gitVersion, verdict, detail) => {
      const { doctor } = await fixture({ gitVersion });
      const { code, stdout } = await doctor();
      expect(code).toBe(0);
      expect(stdout).toContain(`responds; version ${gitVersion}`);
      expect(stdout).toMatch(new RegExp(`^${verdict} +protobuf +`, 'm'));
      expect(stdout).toContain(detail);
    },
  );

  it.each(['off', 'rejected', 'silent'] as const)(
    'warns about a server without WatchList (%s), and exits with 0',
    async (watchList) => {
      const { doctor } = await fixture({ watchList });
      const result = await doctor('--json');
      expect(result.code).toBe(0);
      expect(faults(result)).toEqual([['warn', 'no-watch-list']]);
    },
  );

  it('reports a kubeconfig that is missing, not valid YAML, or has no context', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeflect-doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const results = await Promise.all(
      [
        join(folder, 'missing'),
        file('broken', 'a: "secret-1\n'),
        file('json', '{"token": "secret-2"'),
        file('empty', 'kind: Config\n'),
      ].map((path) => runCli(['doctor', '--json', '--kubeconfig', path])),
    );
    for (const result of results) {
      expect(result.code).toBe(1);
      expect(faults(result)).toEqual([['fail', 'kubeconfig']]);
      expect(result.stdout + result.stderr).not.toMatch(/secret-\d/);
    }
  });
});
