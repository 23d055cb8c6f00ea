/** Request bodies as kubectl 1.36.3 sent them, recorded between it and a kube-apiserver, with what they mean. */

export interface RecordedBody {
  readonly command: string;
  readonly body: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const namespace = 'team-x';

export const KUBECTL_BODIES: readonly RecordedBody[] = [
  {
    command: 'create namespace team-x',
    body: 'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEh4KFgoGdGVhbS14EgAaACIAKgAyADgAQgASABoCCgAaACIA',
    apiVersion: 'v1',
    kind: 'Namespace',
    object: { metadata: { name: 'team-x' }, spec: {}, status: {} },
  },
  {
    command: 'create configmap settings --from-literal=b=2 --from-literal=a=',
    body: 'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEi8KHgoIc2V0dGluZ3MSABoGdGVhbS14IgAqADIAOABCABIFCgFhEgASBgoBYhIBMhoAIgA=',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    object: { metadata: { name: 'settings', namespace }, data: { a: '', b: '2' } },
  },
  {
    command: 'create configmap binary --from-file=blob',
    body: 'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEisKHAoGYmluYXJ5EgAaBnRlYW0teCIAKgAyADgAQgAaCwoEYmxvYhIDAP/+GgAiAA==',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    object: { metadata: { name: 'binary', namespace }, binaryData: { blob: 'AP/+' } },
  },
  {
    command: 'create secret generic token --from-literal=password=s3cr3t --type=example.com/token',
    body: 'azhzAAoMCgJ2MRIGU2VjcmV0EkQKGwoFdG9rZW4SABoGdGVhbS14IgAqADIAOABCABISCghwYXNzd29yZBIGczNjcjN0GhFleGFtcGxlLmNvbS90b2tlbhoAIgA=',
    apiVersion: 'v1',
    kind: 'Secret',
    object: {
      metadata: { name: 'token', namespace },
      data: { password: 'czNjcjN0' },
      type: 'example.com/token',
    },
  },
  {
    command: 'create service clusterip web --tcp=80:http --tcp=443:8443',
    body: 'azhzAAoNCgJ2MRIHU2VydmljZRKRAQolCgN3ZWISABoGdGVhbS14IgAqADIAOABCAFoKCgNhcHASA3dlYhJkCh4KBzgwLWh0dHASA1RDUBhQIgoIARAAGgRodHRwKAAKHQoINDQzLTg0NDMSA1RDUBi7AyIHCAAQ+0EaACgAEgoKA2FwcBIDd2ViGgAiCUNsdXN0ZXJJUDoAQgBSAFoAYABoABoCCgAaACIA',
    apiVersion: 'v1',
    kind: 'Service',
    object: {
      metadata: { name: 'web', namespace, labels: { app: 'web' } },
      spec: {
        ports: [
          { name: '80-http', protocol: 'TCP', port: 80, targetPort: 'http' },
          { name: '443-8443', protocol: 'TCP', port: 443, targetPort: 8443 },
        ],
        selector: { app: 'web' },
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: 'create service nodeport np --tcp=80:80 --node-port=30123',
    body: 'azhzAAoNCgJ2MRIHU2VydmljZRJqCiMKAm5wEgAaBnRlYW0teCIAKgAyADgAQgBaCQoDYXBwEgJucBI/ChoKBTgwLTgwEgNUQ1AYUCIGCAAQUBoAKKvrARIJCgNhcHASAm5wGgAiCE5vZGVQb3J0OgBCAFIAWgBgAGgAGgIKABoAIgA=',
    apiVersion: 'v1',
    kind: 'Service',
    object: {
      metadata: { name: 'np', namespace, labels: { app: 'np' } },
      spec: {
        ports: [{ name: '80-80', protocol: 'TCP', port: 80, targetPort: 80, nodePort: 30123 }],
        selector: { app: 'np' },
        type: 'NodePort',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: 'create service externalname ext --external-name db.example.com',
    body: 'azhzAAoNCgJ2MRIHU2VydmljZRJjCiUKA2V4dBIAGgZ0ZWFtLXgiACoAMgA4AEIAWgoKA2FwcBIDZXh0EjYSCgoDYXBwEgNleHQaACIMRXh0ZXJuYWxOYW1lOgBCAFIOZGIuZXhhbXBsZS5jb21aAGAAaAAaAgoAGgAiAA==',
    apiVersion: 'v1',
    kind: 'Service',
    object: {
      metadata: { name: 'ext', namespace, labels: { app: 'ext' } },
      spec: { selector: { app: 'ext' }, type: 'ExternalName', externalName: 'db.example.com' },
      status: { loadBalancer: {} },
    },
  },
  {
    command: 'create service loadbalancer lb --tcp=5432',
    body: 'azhzAAoNCgJ2MRIHU2VydmljZRJtCiMKAmxiEgAaBnRlYW0teCIAKgAyADgAQgBaCQoDYXBwEgJsYhJCChkKBDU0MzISA1RDUBi4KiIHCAAQuCoaACgAEgkKA2FwcBICbGIaACIMTG9hZEJhbGFuY2VyOgBCAFIAWgBgAGgAGgIKABoAIgA=',
    apiVersion: 'v1',
    kind: 'Service',
    object: {
      metadata: { name: 'lb', namespace, labels: { app: 'lb' } },
      spec: {
        ports: [{ name: '5432', protocol: 'TCP', port: 5432, targetPort: 5432 }],
        selector: { app: 'lb' },
        type: 'LoadBalancer',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: 'create deployment web --image=nginx:1 --replicas=3 --port=8080',
    body: 'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EsEBCiUKA3dlYhIAGgZ0ZWFtLXgiACoAMgA4AEIAWgoKA2FwcBIDd2ViEokBCAMSDAoKCgNhcHASA3dlYhpvChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEk8SMQoFbmdpbngSB25naW54OjEqADILCgAQABiQPyIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    object: {
      metadata: { name: 'web', namespace, labels: { app: 'web' } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              { name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 8080 }], resources: {} },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    },
  },
  {
    command: "create job once --image=busybox -- sh -c 'echo hi'",
    body: 'azhzAAoPCghiYXRjaC92MRIDSm9iEpUBChoKBG9uY2USABoGdGVhbS14IgAqADIAOABCABJtMmsKEAoAEgAaACIAKgAyADgAQgASVxI0CgRvbmNlEgdidXN5Ym94GgJzaBoCLWMaB2VjaG8gaGkqAEIAagByAIABAIgBAJABAKIBABoFTmV2ZXIyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoIIAAoADAAOgAaACIA',
    apiVersion: 'batch/v1',
    kind: 'Job',
    object: {
      metadata: { name: 'once', namespace },
      spec: {
        template: {
          metadata: {},
          spec: {
            containers: [{ name: 'once', image: 'busybox', command: ['sh', '-c', 'echo hi'], resources: {} }],
            restartPolicy: 'Never',
          },
        },
      },
      status: {},
    },
  },
  {
    command: 'create serviceaccount robot',
    body: 'azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSHQobCgVyb2JvdBIAGgZ0ZWFtLXgiACoAMgA4AEIAGgAiAA==',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    object: { metadata: { name: 'robot', namespace } },
  },
  {
    command: 'drain n1 --disable-eviction --force --grace-period=0',
    body: 'azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxICCAAaACIA',
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    object: { gracePeriodSeconds: 0 },
  },
];
