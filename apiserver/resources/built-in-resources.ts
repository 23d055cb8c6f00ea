import type { Resource, ScalePaths } from './resource.js';

type Differences = Pick<Resource, 'kind' | 'plural'> & Partial<Resource>;

const ALL_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

const WORKLOAD_SCALE: ScalePaths = {
  specReplicas: '.spec.replicas',
  statusReplicas: '.status.replicas',
  selector: '.spec.selector',
};

/** The kinds served without a CustomResourceDefinition, as kube-apiserver 1.37 serves them. */
export const BUILT_IN_RESOURCES: readonly Resource[] = [
  ...inGroup('', 'v1', [
    {
      kind: 'ConfigMap',
      plural: 'configmaps',
      shortNames: ['cm'],
    },
    {
      kind: 'Endpoints',
      plural: 'endpoints',
      shortNames: ['ep'],
      allowsCreateOnUpdate: true,
      deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    },
    {
      kind: 'Event',
      plural: 'events',
      shortNames: ['ev'],
      selectableFields: samePaths(
        'involvedObject.kind',
        'involvedObject.namespace',
        'involvedObject.name',
        'involvedObject.uid',
        'involvedObject.apiVersion',
        'involvedObject.resourceVersion',
        'involvedObject.fieldPath',
        'reason',
        'reportingComponent',
        'source',
        'type',
      ),
      allowsCreateOnUpdate: true,
      hasWatchCache: false,
    },
    {
      kind: 'Namespace',
      plural: 'namespaces',
      shortNames: ['ns'],
      isNamespaced: false,
      verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
      hasStatus: true,
      subresources: ['finalize'],
      selectableFields: samePaths('status.phase'),
      deleteReturnsObject: true,
    },
    {
      kind: 'Node',
      plural: 'nodes',
      shortNames: ['no'],
      isNamespaced: false,
      hasStatus: true,
      subresources: ['proxy'],
      selectableFields: samePaths('spec.unschedulable'),
    },
    {
      kind: 'Pod',
      plural: 'pods',
      shortNames: ['po'],
      categories: ['all'],
      hasStatus: true,
      subresources: [
        'attach',
        'binding',
        'ephemeralcontainers',
        'eviction',
        'exec',
        'log',
        'portforward',
        'proxy',
        'resize',
      ],
      selectableFields: {
        ...samePaths(
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'spec.hostNetwork',
          'status.phase',
          'status.podIP',
          'status.podIPs',
          'status.nominatedNodeName',
        ),
        'spec.host': 'spec.nodeName',
      },
      deleteReturnsObject: true,
      hasGeneration: true,
    },
    {
      kind: 'Secret',
      plural: 'secrets',
      selectableFields: samePaths('type'),
    },
    {
      kind: 'Service',
      plural: 'services',
      shortNames: ['svc'],
      categories: ['all'],
      hasStatus: true,
      subresources: ['proxy'],
      selectableFields: samePaths('spec.clusterIP', 'spec.type'),
      deleteReturnsObject: true,
      allowsCreateOnUpdate: true,
    },
  ]),
  ...inGroup('apps', 'v1', [
    {
      kind: 'Deployment',
      plural: 'deployments',
      shortNames: ['deploy'],
      categories: ['all'],
      hasStatus: true,
      subresources: ['scale'],
      scale: WORKLOAD_SCALE,
      hasGeneration: true,
    },
    {
      kind: 'ReplicaSet',
      plural: 'replicasets',
      shortNames: ['rs'],
      categories: ['all'],
      hasStatus: true,
      subresources: ['scale'],
      scale: WORKLOAD_SCALE,
      hasGeneration: true,
    },
  ]),
  ...inGroup('batch', 'v1', [
    {
      kind: 'Job',
      plural: 'jobs',
      categories: ['all'],
      hasStatus: true,
      selectableFields: { 'status.successful': 'status.succeeded' },
      hasGeneration: true,
    },
  ]),
  ...inGroup('apiextensions.k8s.io', 'v1', [
    {
      kind: 'CustomResourceDefinition',
      plural: 'customresourcedefinitions',
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
      isNamespaced: false,
      hasStatus: true,
      // The first DELETE only adds the cleanup finalizer, so it returns the object.
      deleteReturnsObject: true,
      allowsUnconditionalUpdate: false,
      hasGeneration: true,
    },
  ]),
  ...inGroup('coordination.k8s.io', 'v1', [
    {
      kind: 'Lease',
      plural: 'leases',
      allowsUnconditionalUpdate: false,
      allowsCreateOnUpdate: true,
    },
  ]),
  ...inGroup('discovery.k8s.io', 'v1', [
    {
      kind: 'EndpointSlice',
      plural: 'endpointslices',
      hasGeneration: true,
    },
  ]),
];

/** The kind of the `scale` subresource; it has no collection. */
export const SCALE: Resource = inGroup('autoscaling', 'v1', [
  { kind: 'Scale', plural: 'scales' },
])[0] as Resource;

function inGroup(group: string, version: string, kinds: readonly Differences[]): Resource[] {
  return kinds.map((differences) => ({
    group,
    version,
    storageVersion: version,
    listKind: `${differences.kind}List`,
    singular: differences.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    isNamespaced: true,
    isCustom: false,
    verbs: ALL_VERBS,
    hasStatus: false,
    subresources: [],
    scale: undefined,
    selectableFields: {},
    deleteReturnsObject: false,
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    hasGeneration: false,
    hasWatchCache: true,
    deprecationWarning: undefined,
    schema: undefined,
    columns: [],
    ...differences,
  }));
}

function samePaths(...labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label) => [label, label]));
}
