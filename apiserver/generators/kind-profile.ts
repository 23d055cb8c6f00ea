/** The properties of each generated kind: scope, names, size. */

/**
 * How names are made from an index. `P` is the prefix, `D` digits, `H` a hash, `S` a random suffix, `X` hex:
 * `plain` P-D, `hashed` P-D-H (replica sets), `member` P-D-H-S (pods of a replica set), `stamped` P-D.X (events).
 */
export type NameForm = 'plain' | 'hashed' | 'member' | 'stamped';

export interface KindProfile {
  readonly kind: string;
  readonly apiVersion: string;
  /** Typed kinds have the field order of their Go struct, custom ones have all keys sorted. */
  readonly origin: 'typed' | 'custom';
  readonly scope: 'Namespaced' | 'Cluster' | 'Either';
  readonly nameForm: NameForm;
  readonly namePrefix: string;
  /** The namespace if there is only one. */
  readonly homeNamespace?: string;
  readonly sizeBytes: number;
  readonly managedFieldsShare: number;
  readonly labels: number;
  readonly annotations: number;
  readonly containers: number;
  /** The API server's field labels besides metadata.name and metadata.namespace. */
  readonly fieldLabels: Readonly<Record<string, FieldSource>>;
}

/** The path of a field label's value, and the zero value that selectors compare if it is unset. */
export interface FieldSource {
  readonly path: string;
  readonly unset: string;
}

const COMMON = {
  origin: 'typed',
  apiVersion: 'v1',
  scope: 'Namespaced',
  nameForm: 'plain',
  labels: 5,
  annotations: 3,
  containers: 1,
  fieldLabels: {},
} as const;

// Sizes and shares are those of typical clusters.
const TYPED: readonly KindProfile[] = [
  {
    ...COMMON,
    kind: 'Pod',
    nameForm: 'member',
    namePrefix: 'app',
    sizeBytes: 9800,
    managedFieldsShare: 0.3,
    labels: 9,
    annotations: 6,
    containers: 2,
    fieldLabels: {
      'spec.nodeName': { path: 'spec.nodeName', unset: '' },
      'spec.restartPolicy': { path: 'spec.restartPolicy', unset: '' },
      'spec.schedulerName': { path: 'spec.schedulerName', unset: '' },
      'spec.serviceAccountName': { path: 'spec.serviceAccountName', unset: '' },
      'spec.hostNetwork': { path: 'spec.hostNetwork', unset: 'false' },
      'status.phase': { path: 'status.phase', unset: '' },
      'status.podIP': { path: 'status.podIP', unset: '' },
      'status.nominatedNodeName': { path: 'status.nominatedNodeName', unset: '' },
    },
  },
  {
    ...COMMON,
    kind: 'Node',
    scope: 'Cluster',
    namePrefix: 'node',
    sizeBytes: 12_500,
    managedFieldsShare: 0.22,
    labels: 16,
    annotations: 7,
    fieldLabels: { 'spec.unschedulable': { path: 'spec.unschedulable', unset: 'false' } },
  },
  { ...COMMON, kind: 'ConfigMap', namePrefix: 'config', sizeBytes: 2000, managedFieldsShare: 0.15 },
  {
    ...COMMON,
    kind: 'Secret',
    namePrefix: 'secret',
    sizeBytes: 3000,
    managedFieldsShare: 0.12,
    fieldLabels: { type: { path: 'type', unset: '' } },
  },
  {
    ...COMMON,
    kind: 'Namespace',
    scope: 'Cluster',
    namePrefix: 'ns',
    sizeBytes: 1000,
    managedFieldsShare: 0.25,
    fieldLabels: { 'status.phase': { path: 'status.phase', unset: '' } },
  },
  {
    ...COMMON,
    kind: 'Service',
    namePrefix: 'svc',
    sizeBytes: 1800,
    managedFieldsShare: 0.3,
    fieldLabels: {
      'spec.clusterIP': { path: 'spec.clusterIP', unset: '' },
      'spec.type': { path: 'spec.type', unset: '' },
    },
  },
  { ...COMMON, kind: 'Endpoints', namePrefix: 'svc', sizeBytes: 2000, managedFieldsShare: 0.15 },
  {
    ...COMMON,
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    namePrefix: 'svc',
    sizeBytes: 2400,
    managedFieldsShare: 0.15,
  },
  {
    ...COMMON,
    kind: 'Event',
    nameForm: 'stamped',
    namePrefix: 'app',
    sizeBytes: 1300,
    managedFieldsShare: 0.26,
    fieldLabels: {
      'involvedObject.kind': { path: 'involvedObject.kind', unset: '' },
      'involvedObject.namespace': { path: 'involvedObject.namespace', unset: '' },
      'involvedObject.name': { path: 'involvedObject.name', unset: '' },
      'involvedObject.uid': { path: 'involvedObject.uid', unset: '' },
      'involvedObject.apiVersion': { path: 'involvedObject.apiVersion', unset: '' },
      'involvedObject.resourceVersion': { path: 'involvedObject.resourceVersion', unset: '' },
      'involvedObject.fieldPath': { path: 'involvedObject.fieldPath', unset: '' },
      reason: { path: 'reason', unset: '' },
      reportingComponent: { path: 'reportingComponent', unset: '' },
      source: { path: 'source.component', unset: '' },
      type: { path: 'type', unset: '' },
    },
  },
  {
    ...COMMON,
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    namePrefix: 'node',
    homeNamespace: 'kube-node-lease',
    sizeBytes: 900,
    managedFieldsShare: 0.36,
  },
  {
    ...COMMON,
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    namePrefix: 'app',
    sizeBytes: 7500,
    managedFieldsShare: 0.33,
    containers: 2,
  },
  {
    ...COMMON,
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    nameForm: 'hashed',
    namePrefix: 'app',
    sizeBytes: 7000,
    managedFieldsShare: 0.33,
    containers: 2,
    fieldLabels: { 'status.replicas': { path: 'status.replicas', unset: '0' } },
  },
  {
    ...COMMON,
    kind: 'Job',
    apiVersion: 'batch/v1',
    namePrefix: 'job',
    sizeBytes: 5500,
    managedFieldsShare: 0.33,
    fieldLabels: { 'status.successful': { path: 'status.succeeded', unset: '0' } },
  },
];

const TYPED_BY_KIND: ReadonlyMap<string, KindProfile> = new Map(
  TYPED.map((profile) => [profile.kind, profile]),
);

/**
 * The built-in kind of that name; a custom resource if the apiVersion differs from the built-in kind's, or the
 * kind is unknown. Undefined for an unknown kind without an apiVersion.
 */
export function kindProfile(kind: string, apiVersion: string | undefined): KindProfile | undefined {
  const typed = TYPED_BY_KIND.get(kind);
  if (typed !== undefined && (apiVersion ?? typed.apiVersion) === typed.apiVersion) return typed;
  if (apiVersion === undefined) return undefined;
  return {
    ...COMMON,
    kind,
    apiVersion,
    origin: 'custom',
    scope: 'Either',
    namePrefix: kind.toLowerCase().slice(0, 40),
    sizeBytes: 3000,
    managedFieldsShare: 0.25,
  };
}

/** The kinds that need no apiVersion. */
export function typedKinds(): readonly string[] {
  return [...TYPED_BY_KIND.keys()];
}
