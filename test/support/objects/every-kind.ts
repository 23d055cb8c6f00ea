/** One object of every built-in kind that an API server without controllers accepts, with many of its fields. */

export interface KindExample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Cluster-scoped kinds have none. */
  readonly isNamespaced: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

const LABELS = { app: 'example', 'example.test/tier': 'x' };
const SELECTOR = { matchLabels: { app: 'example' } };
const TEMPLATE = {
  metadata: { labels: { app: 'example' }, annotations: { 'example.test/note': 'a "quoted" <text> & é 😀' } },
  spec: {
    restartPolicy: 'Always',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    volumes: [
      { name: 'config', configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 420 }] } },
      { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'both', projected: { sources: [{ secret: { name: 's' } }, { downwardAPI: { items: [] } }] } },
    ],
    containers: [
      {
        name: 'main',
        image: 'example.test/main:1',
        args: ['--flag=a b', '--empty='],
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: [
          { name: 'PLAIN', value: 'x' },
          { name: 'FIELD', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '2Gi' } },
        volumeMounts: [{ name: 'config', mountPath: '/etc/c', readOnly: true }],
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
        securityContext: { runAsUser: 1000, capabilities: { drop: ['ALL'] } },
      },
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: SELECTOR, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    },
  },
};
const ONCE = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } };
const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
const SUBJECTS = [{ kind: 'User', name: 'somebody', apiGroup: 'rbac.authorization.k8s.io' }];
const CLAIM = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 's',
};
const RBAC = 'rbac.authorization.k8s.io';

export const EVERY_KIND: readonly KindExample[] = [
  namespaced('v1', 'Pod', 'pods', { spec: TEMPLATE.spec }),
  namespaced('v1', 'Service', 'services', {
    spec: {
      selector: { app: 'example' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'n', port: 81, targetPort: 8081 },
      ],
    },
  }),
  namespaced('v1', 'ConfigMap', 'configmaps', {
    data: { 'a.txt': 'é\n\t"\\', empty: '' },
    binaryData: { b: 'AAEC/w==' },
    immutable: true,
  }),
  namespaced('v1', 'Secret', 'secrets', { type: 'Opaque', data: { token: 'c2VjcmV0' } }),
  namespaced('v1', 'ServiceAccount', 'serviceaccounts', { automountServiceAccountToken: false }),
  namespaced('v1', 'Endpoints', 'endpoints', {
    subsets: [
      {
        addresses: [{ ip: '10.0.0.9', nodeName: 'n' }],
        ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
      },
    ],
  }),
  namespaced('v1', 'Event', 'events', {
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'every-kind' },
    reason: 'Because',
    message: 'it was so',
    type: 'Normal',
    count: 3,
    firstTimestamp: '2026-01-02T03:04:05Z',
    eventTime: '2026-01-02T03:04:05.000006Z',
    reportingComponent: 'tests',
    reportingInstance: 'one',
    action: 'Testing',
  }),
  namespaced('v1', 'LimitRange', 'limitranges', {
    spec: {
      limits: [
        { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '100m' }, max: { cpu: '2' } },
      ],
    },
  }),
  namespaced('v1', 'ResourceQuota', 'resourcequotas', {
    spec: { hard: { pods: '100', 'requests.cpu': '10' }, scopes: ['NotTerminating'] },
  }),
  namespaced('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { spec: CLAIM }),
  namespaced('v1', 'PodTemplate', 'podtemplates', { template: TEMPLATE }),
  namespaced('v1', 'ReplicationController', 'replicationcontrollers', {
    spec: { replicas: 0, selector: { app: 'example' }, template: TEMPLATE },
  }),
  clusterWide('v1', 'Namespace', 'namespaces', {}),
  clusterWide('v1', 'Node', 'nodes', {
    spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 't', effect: 'NoSchedule' }], unschedulable: true },
  }),
  clusterWide('v1', 'PersistentVolume', 'persistentvolumes', {
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp', type: 'Directory' },
    },
  }),
  namespaced('apps/v1', 'Deployment', 'deployments', {
    spec: {
      replicas: 0,
      selector: SELECTOR,
      template: TEMPLATE,
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    },
  }),
  namespaced('apps/v1', 'ReplicaSet', 'replicasets', {
    spec: { replicas: 0, selector: SELECTOR, template: TEMPLATE },
  }),
  namespaced('apps/v1', 'DaemonSet', 'daemonsets', { spec: { selector: SELECTOR, template: TEMPLATE } }),
  namespaced('apps/v1', 'StatefulSet', 'statefulsets', {
    spec: {
      replicas: 0,
      serviceName: 's',
      selector: SELECTOR,
      template: TEMPLATE,
      volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: CLAIM }],
    },
  }),
  namespaced('apps/v1', 'ControllerRevision', 'controllerrevisions', {
    revision: 7,
    data: { any: { thing: [1, 2.5, null, true] } },
  }),
  namespaced('batch/v1', 'Job', 'jobs', { spec: { suspend: true, parallelism: 2, template: ONCE } }),
  namespaced('batch/v1', 'CronJob', 'cronjobs', {
    spec: { schedule: '*/5 * * * *', suspend: true, jobTemplate: { spec: { template: ONCE } } },
  }),
  namespaced('networking.k8s.io/v1', 'Ingress', 'ingresses', {
    spec: {
      tls: [{ hosts: ['example.test'], secretName: 's' }],
      rules: [
        {
          host: 'example.test',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  }),
  namespaced('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
    spec: {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
          ports: [{ port: 80 }, { port: 'http' }],
        },
      ],
    },
  }),
  clusterWide('networking.k8s.io/v1', 'IngressClass', 'ingressclasses', {
    spec: { controller: 'example.test/ingress' },
  }),
  namespaced(`${RBAC}/v1`, 'Role', 'roles', { rules: RULES }),
  namespaced(`${RBAC}/v1`, 'RoleBinding', 'rolebindings', {
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'every-kind' },
    subjects: SUBJECTS,
  }),
  clusterWide(`${RBAC}/v1`, 'ClusterRole', 'clusterroles', {
    rules: [...RULES, { nonResourceURLs: ['/x'], verbs: ['get'] }],
  }),
  clusterWide(`${RBAC}/v1`, 'ClusterRoleBinding', 'clusterrolebindings', {
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'every-kind' },
    subjects: SUBJECTS,
  }),
  namespaced('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', {
    spec: { maxUnavailable: '50%', selector: SELECTOR },
  }),
  namespaced('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
        },
      ],
    },
  }),
  namespaced('coordination.k8s.io/v1', 'Lease', 'leases', {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000006Z' },
  }),
  namespaced('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: true }, zone: 'z' }],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  }),
  clusterWide('storage.k8s.io/v1', 'StorageClass', 'storageclasses', {
    provisioner: 'example.test/disk',
    parameters: { kind: 'fast' },
    allowVolumeExpansion: true,
  }),
  clusterWide('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', {
    spec: { attachRequired: false, volumeLifecycleModes: ['Persistent'] },
  }),
  clusterWide('storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } },
  }),
  clusterWide('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', {
    value: -5,
    description: 'lowest',
  }),
  clusterWide('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', {
    handler: 'h',
    overhead: { podFixed: { cpu: '10m' } },
  }),
  clusterWide(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    { webhooks: [] },
  ),
  clusterWide(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    { webhooks: [] },
  ),
  clusterWide(
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    {
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
    },
  ),
  clusterWide('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'flowschemas', {
    spec: { priorityLevelConfiguration: { name: 'every-kind' }, matchingPrecedence: 9000 },
  }),
];

function namespaced(
  apiVersion: string,
  kind: string,
  plural: string,
  body: KindExample['body'],
): KindExample {
  return { apiVersion, kind, plural, isNamespaced: true, body };
}

function clusterWide(
  apiVersion: string,
  kind: string,
  plural: string,
  body: KindExample['body'],
): KindExample {
  return { apiVersion, kind, plural, isNamespaced: false, body };
}

/** The object to send, with the given name. */
export function objectOf(
  { apiVersion, kind, isNamespaced, body }: KindExample,
  name: string,
): Readonly<Record<string, unknown>> {
  const namespace = isNamespaced ? { namespace: name } : {};
  return { apiVersion, kind, metadata: { name, ...namespace, labels: LABELS, finalizers: [] }, ...body };
}

/** The path of the collection, or, without a namespace, of all namespaces. */
export function pathOf(
  { apiVersion, plural }: Pick<KindExample, 'apiVersion' | 'plural'>,
  namespace?: string,
): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}`;
}
