import { describe, expect, test } from 'vitest';
import { type DiscoveryDocument, discoveryDocument, rootPaths } from '#dist/apiserver/discovery/discovery.js';
import { compareVersions } from '#dist/apiserver/discovery/version-order.js';
import { encodeJson } from '#dist/apiserver/json.js';
import type { Resource } from '#dist/apiserver/resources/resource.js';
import { ResourceRegistry } from '#dist/apiserver/resources/resource-registry.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const builtIn = new ResourceRegistry().all();

function custom(group: string, version: string, more: Partial<Resource> = {}): Resource {
  return {
    ...builtIn[0]!,
    group,
    version,
    storageVersion: version,
    kind: 'W',
    plural: 'ws',
    singular: 'w',
    shortNames: [],
    isCustom: true,
    verbs: CUSTOM_VERBS,
    ...more,
  };
}

function documentOf(path: string, accept = '', resources: readonly Resource[] = builtIn): DiscoveryDocument {
  return discoveryDocument(resources, path, { accept, serverAddress: '127.0.0.1:26443' })!;
}

const stringOf = (path: string, accept?: string, resources?: readonly Resource[]): string =>
  encodeJson(documentOf(path, accept, resources).body);

describe('legacy discovery', () => {
  // Texts of kube-apiserver 1.36.3, cut to the kinds that are served here.
  test('is byte for byte that of the real server', () => {
    expect(stringOf('/api')).toBe(
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:26443"}]}',
    );
    expect(stringOf('/apis/apps/')).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}',
    );
    expect(stringOf('/apis/apiextensions.k8s.io/v1')).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apiextensions.k8s.io/v1","resources":[{"name":"customresourcedefinitions","singularName":"customresourcedefinition","namespaced":false,"kind":"CustomResourceDefinition","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["crd","crds"],"categories":["api-extensions"],"storageVersionHash":"jfWCUB31mvA="},{"name":"customresourcedefinitions/status","singularName":"","namespaced":false,"kind":"CustomResourceDefinition","verbs":["get","patch","update"]}]}',
    );
    expect(stringOf('/apis/apps/v1')).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["deploy"],"categories":["all"],"storageVersionHash":"8aSe+NMegvE="},{"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]},{"name":"deployments/status","singularName":"","namespaced":true,"kind":"Deployment","verbs":["get","patch","update"]},{"name":"replicasets","singularName":"replicaset","namespaced":true,"kind":"ReplicaSet","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["rs"],"categories":["all"],"storageVersionHash":"P1RzHs8/mWQ="},{"name":"replicasets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]},{"name":"replicasets/status","singularName":"","namespaced":true,"kind":"ReplicaSet","verbs":["get","patch","update"]}]}',
    );
  });

  test('has no apiVersion for the core group, and lists the subresources of pods', () => {
    const body = documentOf('/api/v1').body as {
      resources: { name: string; kind: string; verbs: string[] }[];
    };
    expect(Object.keys(body)).toEqual(['kind', 'groupVersion', 'resources']);
    const ofPods = body.resources.filter(({ name }) => name.startsWith('pods/'));
    expect(ofPods.map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join()}`)).toEqual([
      'pods/attach PodAttachOptions create,get',
      'pods/binding Binding create',
      'pods/ephemeralcontainers Pod get,patch,update',
      'pods/eviction Eviction create',
      'pods/exec PodExecOptions create,get',
      'pods/log Pod get',
      'pods/portforward PodPortForwardOptions create,get',
      'pods/proxy PodProxyOptions create,delete,get,patch,update',
      'pods/resize Pod get,patch,update',
      'pods/status Pod get,patch,update',
    ]);
  });

  test('lists custom groups last, with the preferred version first', () => {
    const resources = [
      ...builtIn,
      ...['foo', 'v1', 'v10', 'v1alpha1'].map((each) => custom('m.dev', each)),
      custom('b.dev', 'v1'),
    ];
    const body = documentOf('/apis', '', resources).body as {
      groups: { name: string; versions: { version: string }[] }[];
    };
    expect(body.groups.map(({ name }) => name)).toEqual([
      'apps',
      'batch',
      'apiextensions.k8s.io',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'm.dev',
      'b.dev',
    ]);
    expect(body.groups[5]!.versions.map(({ version }) => version)).toEqual(['v10', 'v1', 'v1alpha1', 'foo']);
  });

  test('lists status before scale for a custom resource', () => {
    const resources = [custom('m.dev', 'v1', { hasStatus: true, subresources: ['scale'] })];
    expect(stringOf('/apis/m.dev/v1', '', resources)).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"m.dev/v1","resources":[{"name":"ws","singularName":"w","namespaced":true,"kind":"W","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"storageVersionHash":"N/RTLDkO2ac="},{"name":"ws/status","singularName":"","namespaced":true,"kind":"W","verbs":["get","patch","update"]},{"name":"ws/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}]}',
    );
  });

  test.each(['/apis/nope', '/apis/apps/v9', '/api/v2', '/apis/apps/v1/deployments', '/version', '/'])(
    'does not exist at %s',
    (path) => {
      expect(documentOf(path)).toBeUndefined();
    },
  );
});

describe('aggregated discovery', () => {
  test('is that of the real server', () => {
    const leases = builtIn.filter(({ plural }) => plural === 'leases');
    const document = documentOf('/apis', `${AGGREGATED},application/json`, leases);
    expect(document).toMatchObject({ contentType: AGGREGATED, cacheControl: 'public', vary: 'Accept' });
    expect(document.etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(encodeJson(document.body)).toBe(
      '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"coordination.k8s.io"},"versions":[{"version":"v1","resources":[{"resource":"leases","responseKind":{"group":"","version":"","kind":"Lease"},"scope":"Namespaced","singularResource":"lease","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}],"freshness":"Current"}]}]}',
    );
  });

  test('has the core group without a name at /api', () => {
    const text = stringOf('/api', AGGREGATED);
    expect(text).toContain(
      '"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"configmaps"',
    );
    expect(text).toContain(
      '{"resource":"namespaces","responseKind":{"group":"","version":"","kind":"Namespace"},"scope":"Cluster","singularResource":"namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"subresources":[{"subresource":"finalize","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["get","patch","update"]}]}',
    );
  });

  test('repeats group and version for a custom resource', () => {
    const text = stringOf('/apis', AGGREGATED, [
      custom('m.dev', 'v1', { hasStatus: true, isNamespaced: false }),
    ]);
    expect(text).toContain(
      '{"resource":"ws","responseKind":{"group":"m.dev","version":"v1","kind":"W"},"scope":"Cluster","singularResource":"w"',
    );
    expect(text).toContain(
      '{"subresource":"status","responseKind":{"group":"m.dev","version":"v1","kind":"W"},"verbs":["get","patch","update"]}',
    );
  });

  test.each([
    ['application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io', true],
    [`${AGGREGATED};profile=nopeer`, true],
    [`application/json;q=0.9,${AGGREGATED}`, true],
    [`application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,${AGGREGATED}`, true],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', false],
    [`application/json,${AGGREGATED}`, false],
    ['*/*', false],
    ['', false],
  ])('is sent for Accept %s: %s', (accept, isAggregated) => {
    expect(documentOf('/apis', accept).contentType === AGGREGATED).toBe(isAggregated);
  });
});

test('the root lists every path once, sorted', () => {
  expect(
    rootPaths([custom('m.dev', 'v1'), custom('m.dev', 'v1', { plural: 'as' })], ['/version', '/healthz']),
  ).toEqual({
    paths: ['/api', '/api/v1', '/apis', '/apis/', '/apis/m.dev', '/apis/m.dev/v1', '/healthz', '/version'],
  });
});

test('versions are sorted in the order of Kubernetes', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ];
  expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered);
});
