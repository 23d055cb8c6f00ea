/** The objects the cases work with, as small as the server accepts them. */

export interface ManagedFieldsEntry {
  manager: string;
  operation: string;
  apiVersion: string;
  time: string;
  fieldsType: string;
  fieldsV1: Record<string, unknown>;
  subresource?: string;
}

export interface KubeMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeObject {
  kind: string;
  apiVersion: string;
  metadata: KubeMeta;
  items: KubeObject[];
  spec?: Record<string, unknown>;
  status?: unknown;
  data?: Record<string, string>;
  [field: string]: unknown;
}

export type Manifest = { metadata?: Record<string, unknown>; [field: string]: unknown };

export function configMap(name: string, extra: Manifest = {}): Manifest {
  const { metadata, ...rest } = extra;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

export function pod(name: string, extra: Manifest = {}): Manifest {
  const { metadata, spec, ...rest } = extra;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'example.com/app:1.0' }], ...(spec as object | undefined) },
    ...rest,
  };
}

const podTemplate = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'main', image: 'example.com/app:1.0' }] },
};

export function deployment(name: string, extra: Manifest = {}): Manifest {
  const { metadata, spec, ...rest } = extra;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: podTemplate,
      ...(spec as object | undefined),
    },
    ...rest,
  };
}

/** One kind of the suite: where it lives and the smallest object of it. */
export interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly minimal: (name: string, namespace: string) => Manifest;
}

function kind(
  name: string,
  apiVersion: string,
  plural: string,
  body: Record<string, unknown> | ((namespace: string) => Record<string, unknown>),
  scope: Kind['scope'] = 'Namespaced',
): Kind {
  return {
    kind: name,
    apiVersion,
    plural,
    scope,
    minimal: (objectName, namespace) => ({
      apiVersion,
      kind: name,
      metadata: { name: objectName },
      ...structuredClone(typeof body === 'function' ? body(namespace) : body),
    }),
  };
}

const workloadSpec = { selector: { matchLabels: { app: 'x' } }, template: podTemplate };

export const KINDS: readonly Kind[] = [
  kind('Pod', 'v1', 'pods', { spec: podTemplate.spec }),
  kind('Node', 'v1', 'nodes', {}, 'Cluster'),
  kind('Namespace', 'v1', 'namespaces', {}, 'Cluster'),
  kind('Service', 'v1', 'services', { spec: { ports: [{ port: 80 }] } }),
  kind('Endpoints', 'v1', 'endpoints', {}),
  kind('EndpointSlice', 'discovery.k8s.io/v1', 'endpointslices', { addressType: 'IPv4' }),
  kind('ConfigMap', 'v1', 'configmaps', { data: { a: '1' } }),
  kind('Secret', 'v1', 'secrets', { data: { a: 'MQ==' } }),
  kind('Event', 'v1', 'events', (namespace) => ({
    involvedObject: { kind: 'Pod', namespace, name: 'p' },
    reason: 'Tested',
    type: 'Normal',
  })),
  kind('Lease', 'coordination.k8s.io/v1', 'leases', { spec: { holderIdentity: 'x' } }),
  kind('Deployment', 'apps/v1', 'deployments', { spec: workloadSpec }),
  kind('ReplicaSet', 'apps/v1', 'replicasets', { spec: workloadSpec }),
  kind('Job', 'batch/v1', 'jobs', {
    spec: { template: { spec: { ...podTemplate.spec, restartPolicy: 'Never' } } },
  }),
];

export function kindNamed(name: string): Kind {
  const found = KINDS.find((candidate) => candidate.kind === name);
  if (found === undefined) throw new Error(`no kind ${name} in the suite; add it to KINDS`);
  return found;
}
