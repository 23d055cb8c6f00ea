import { describe, expect, test } from 'vitest';
import { HEALTH_PATHS, type HealthResponse, healthResponse } from '#dist/apiserver/discovery/health.js';
import { versionBody } from '#dist/apiserver/discovery/version.js';
import { encodeJson, prettyJson } from '#dist/apiserver/json.js';

describe('/version', () => {
  test('is that of kube-apiserver 1.37.1', () => {
    expect(prettyJson(encodeJson(versionBody()))).toBe(`{
  "major": "1",
  "minor": "37",
  "emulationMajor": "1",
  "emulationMinor": "37",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "36",
  "gitVersion": "v1.37.1",
  "gitCommit": "$Format:%H$",
  "gitTreeState": "",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "go1.26.8",
  "compiler": "gc",
  "platform": "linux/amd64"
}`);
  });

  test('follows the gitVersion option', () => {
    expect(versionBody({ gitVersion: 'v1.34.2-eks-1' })).toMatchObject({
      minor: '34',
      gitVersion: 'v1.34.2-eks-1',
    });
    expect(versionBody({ gitVersion: 'v1.32.0' })).not.toHaveProperty('emulationMajor');
  });
});

function response(url: string, failing: [string, string][] = []): HealthResponse | undefined {
  const [path = '', query = ''] = url.split('?');
  return healthResponse(path, new URLSearchParams(query), new Map(failing));
}

describe('health paths', () => {
  test.each(['/healthz', '/livez', '/readyz', '/livez?exclude=nope'])('respond ok at %s', (url) => {
    expect(response(url)).toEqual({
      code: 200,
      body: 'ok',
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    });
  });

  test.each([
    '/healthz/etcd',
    '/livez/ping',
    '/readyz/shutdown',
    '/healthz/poststarthook/rbac/bootstrap-roles',
  ])('respond ok for the single check %s', (url) => {
    expect(response(url)).toEqual({
      code: 200,
      body: 'ok',
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    });
  });

  test('have the lengths of the real verbose responses', () => {
    expect(response('/healthz?verbose')?.body.length).toBe(1713);
    expect(response('/livez?verbose')?.body.length).toBe(1711);
    expect(response('/readyz?verbose')?.body.length).toBe(1733);
    expect(response('/livez?verbose&exclude=etcd&exclude=log')?.body.length).toBe(1731);
    expect(response('/readyz?verbose&exclude=nope')?.body.length).toBe(1800);
  });

  test('list the checks, also excluded ones, when verbose', () => {
    const body = response('/readyz?verbose&exclude=log&exclude=nope')?.body ?? '';
    expect(body.startsWith('[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n[+]etcd-readiness ok\n')).toBe(true);
    expect(
      body.endsWith(
        '[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
      ),
    ).toBe(true);
  });

  test('are always verbose when a check fails, without the reason', () => {
    const failed = response('/livez', [['etcd', 'no leader']]);
    expect(failed?.code).toBe(500);
    expect(failed?.body).toContain('[-]etcd failed: reason withheld\n');
    expect(failed?.body.endsWith('livez check failed\n')).toBe(true);
    expect(response('/livez/etcd', [['etcd', 'no leader']])?.body).toBe('internal server error: no leader\n');
    expect(response('/livez?exclude=etcd', [['etcd', 'no leader']])?.body).toBe('ok');
  });

  test('have no response for other paths', () => {
    expect(HEALTH_PATHS).toContain('/readyz/etcd-readiness');
    for (const path of ['/healthz/nope', '/livez/etcd-readiness', '/readyz/', '/health']) {
      expect(response(path)).toBeUndefined();
    }
  });
});
