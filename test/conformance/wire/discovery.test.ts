/** Discovery, version and health: what clients read before they do anything. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { KINDS } from '../harness/objects.js';
import { groupPath } from '../harness/sandbox.js';
import { noCreationTime } from '../harness/versions.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Resource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[];
}

const SHORT_NAMES: Record<string, string[] | undefined> = {
  pods: ['po'],
  nodes: ['no'],
  namespaces: ['ns'],
  services: ['svc'],
  endpoints: ['ep'],
  configmaps: ['cm'],
  events: ['ev'],
  deployments: ['deploy'],
  replicasets: ['rs'],
};

const WITH_STATUS = ['pods', 'nodes', 'namespaces', 'services', 'deployments', 'replicasets', 'jobs'];

describe('/version', () => {
  test('reports a release, indented', async ({ api, minor }) => {
    const response = await api.get('/version');
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.text).toBe(JSON.stringify(response.json, null, 2));
    expect(response.json).toMatchObject({
      major: '1',
      minor: expect.stringMatching(/^\d+$/),
      gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
      platform: expect.stringMatching(/^[a-z]+\/[a-z0-9]+$/),
    });
    expect(Object.keys(response.json)).toEqual([
      'major',
      'minor',
      ...(minor < 33
        ? []
        : ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor']),
      'gitVersion',
      'gitCommit',
      'gitTreeState',
      'buildDate',
      'goVersion',
      'compiler',
      'platform',
    ]);
  });
});

describe('health', () => {
  test.for(['/healthz', '/livez', '/readyz'])('%s says ok', async (path, { api }) => {
    const response = await api.get(path);
    expect([response.status, response.text]).toEqual([200, 'ok']);
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  test.for(['healthz', 'livez', 'readyz'])('/%s?verbose lists its checks', async (name, { api }) => {
    const { text } = await api.get(`/${name}`, { verbose: '' });
    expect(text).toMatch(/^\[\+\]ping ok\n/);
    expect(text).toMatch(new RegExp(`\\n${name} check passed\\n$`));
  });

  test('responds ok to a single check', async ({ api }) => {
    expect((await api.get('/livez/ping')).text).toBe('ok');
  });
});

describe('legacy discovery', () => {
  test('has the core versions at /api', async ({ api }) => {
    const { text, json } = await api.get('/api');
    expect(text).toMatch(
      /^\{"kind":"APIVersions","versions":\["v1"\],"serverAddressByClientCIDRs":\[\{"clientCIDR":"0\.0\.0\.0\/0","serverAddress":"[^"]+"\}\]\}\n$/,
    );
    expect(json).not.toHaveProperty('apiVersion');
  });

  test('lists the groups with their versions at /apis', async ({ api }) => {
    const { json } = await api.get('/apis');
    expect(json).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = json['groups'] as { name: string }[];
    for (const name of ['apps', 'batch', 'coordination.k8s.io', 'discovery.k8s.io', 'apiextensions.k8s.io']) {
      const version = { groupVersion: `${name}/v1`, version: 'v1' };
      expect(groups.find((group) => group.name === name)).toEqual({
        name,
        versions: [version],
        preferredVersion: version,
      });
    }
  });

  test('has one group at /apis/{group}', async ({ api }) => {
    const version = '{"groupVersion":"apps/v1","version":"v1"}';
    expect((await api.get('/apis/apps')).text).toBe(
      `{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[${version}],"preferredVersion":${version}}\n`,
    );
  });

  test('has no apiVersion in /api/v1, but in /apis/{group}/{version}', async ({ api }) => {
    expect((await api.get('/api/v1')).text).toMatch(
      /^\{"kind":"APIResourceList","groupVersion":"v1","resources":\[/,
    );
    expect((await api.get('/apis/apps/v1')).text).toMatch(
      /^\{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps\/v1","resources":\[/,
    );
  });

  test.for(KINDS.map(({ kind }) => kind))('the resource of %s', async (name, { api }) => {
    const kind = KINDS.find((candidate) => candidate.kind === name)!;
    const { json } = await api.get(groupPath(kind.apiVersion));
    const resources = json['resources'] as Resource[];
    const found = resources.find((resource) => resource.name === kind.plural);
    expect(found).toMatchObject({
      singularName: kind.kind === 'Endpoints' ? 'endpoints' : kind.kind.toLowerCase(),
      namespaced: kind.scope === 'Namespaced',
      kind: kind.kind,
      verbs: kind.kind === 'Namespace' ? VERBS.filter((verb) => verb !== 'deletecollection') : VERBS,
    });
    expect(found?.shortNames).toEqual(SHORT_NAMES[kind.plural]);
    const status = resources.find((resource) => resource.name === `${kind.plural}/status`);
    expect(status?.verbs).toEqual(WITH_STATUS.includes(kind.plural) ? ['get', 'patch', 'update'] : undefined);
  });
});

describe('aggregated discovery', () => {
  test.for(['/api', '/apis'])('%s in one document, its media type repeated', async (path, { api }) => {
    const response = await api.get(path, {}, { Accept: `${AGGREGATED},application/json` });
    await either(
      'a server may not know aggregated discovery and answer with the legacy document',
      {
        name: 'aggregated',
        check: () => {
          expect(response.headers['content-type']).toBe(AGGREGATED);
          expect(response.headers['etag']).toMatch(/^"[0-9A-F]+"$/);
          expect(response.headers['vary']).toBe('Accept');
          expect(response.text).toMatch(
            /^\{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io\/v2","metadata":\{\},"items":\[/,
          );
        },
      },
      {
        name: 'legacy',
        check: () => expect(response.headers['content-type']).toBe('application/json'),
      },
    );
  });

  test('describes pods with their status', async ({ api, minor }) => {
    const response = await api.get('/api', {}, { Accept: AGGREGATED });
    await either(
      'a server may not know aggregated discovery',
      {
        name: 'aggregated',
        check: () => {
          const [core] = response.json.items as unknown as {
            metadata: object;
            versions: Record<string, unknown>[];
          }[];
          expect(core?.metadata).toEqual(noCreationTime(minor));
          expect(core?.versions[0]).toMatchObject({ version: 'v1', freshness: 'Current' });
          const resources = core?.versions[0]?.['resources'] as {
            resource: string;
            subresources: unknown[];
          }[];
          const pods = resources.find(({ resource }) => resource === 'pods');
          expect(pods).toMatchObject({
            responseKind: { group: '', version: '', kind: 'Pod' },
            scope: 'Namespaced',
            singularResource: 'pod',
            verbs: VERBS,
            shortNames: ['po'],
            categories: ['all'],
          });
          expect(pods?.subresources).toContainEqual({
            subresource: 'status',
            responseKind: { group: '', version: '', kind: 'Pod' },
            verbs: ['get', 'patch', 'update'],
          });
        },
      },
      {
        name: 'legacy or refused',
        check: () => expect(response.headers['content-type']).toBe('application/json'),
      },
    );
  });

  test('is a 304 for clients that have its ETag', async ({ api }) => {
    const first = await api.get('/apis', {}, { Accept: AGGREGATED });
    const etag = first.headers['etag'];
    const again = await api.get('/apis', {}, { Accept: AGGREGATED, 'If-None-Match': etag ?? '"none"' });
    await either(
      'a server may not know aggregated discovery, and its groups may have changed meanwhile',
      { name: '304', check: () => expect([again.status, again.text]).toEqual([304, '']) },
      {
        name: 'another ETag',
        check: () => expect([again.status, again.headers['etag'] !== etag]).toEqual([200, true]),
      },
      { name: 'no ETag', check: () => expect(etag).toBeUndefined() },
    );
  });
});

describe('/openapi/v3', () => {
  test('lists a document per group and version', async ({ api }) => {
    const response = await api.get('/openapi/v3');
    expect(response.status).toBe(200);
    const paths = response.json['paths'] as Record<string, { serverRelativeURL: string }>;
    for (const name of ['api/v1', 'apis/apps/v1', 'apis/batch/v1']) {
      expect(paths[name]?.serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]+$`));
    }
  });

  test('has fieldValidation on writes', async ({ api }) => {
    const { json } = await api.get('/openapi/v3/apis/coordination.k8s.io/v1');
    const paths = json['paths'] as Record<string, { patch?: Record<string, unknown> }>;
    const patch = paths['/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}']?.patch;
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({
      group: 'coordination.k8s.io',
      version: 'v1',
      kind: 'Lease',
    });
    const parameters = patch?.['parameters'] as { name: string; in: string }[];
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'fieldValidation', in: 'query' }));
  });
});
