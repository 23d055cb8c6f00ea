import { describe, expect, it } from 'vitest';
import { encodeJson } from '#dist/apiserver/json.js';
import { applyDefaults } from '#dist/apiserver/objects/defaults.js';
import { orderTyped } from '#dist/apiserver/objects/field-order.js';
import {
  prepareForCreate,
  prepareForStatusUpdate,
  prepareForUpdate,
} from '#dist/apiserver/objects/strategies.js';

const UID = 'c5dac4e5-4201-406e-ad62-5c4cf23a7c32';
const CONTAINER = { name: 'c', image: 'nginx' };
const FULL_CONTAINER =
  '{"name":"c","image":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}';
const TEMPLATE_REST =
  '"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"';

function created(group: string, kind: string, object: Record<string, unknown>, hasStatus = true): string {
  const resource = { group, kind, hasStatus };
  const facts = {
    uid: UID,
    time: '2026-11-17T16:47:25Z',
    clusterIP: () => '10.0.0.48',
    nodePort: () => 30_080,
  };
  const prepared = prepareForCreate(resource, applyDefaults(resource, object), facts);
  return encodeJson(orderTyped(resource, prepared));
}

// The results are what kube-apiserver 1.36.3 answered.
describe('defaults of new objects', () => {
  it('fill in the fields of a Pod', () => {
    expect(created('', 'Pod', { metadata: { name: 'p' }, spec: { containers: [CONTAINER] } })).toBe(
      `{"metadata":{"name":"p"},"spec":{"containers":[${FULL_CONTAINER}],"restartPolicy":"Always",${TEMPLATE_REST},"enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"BestEffort"}}`,
    );
  });

  it('fill in host network, probes, hooks and field references of a Pod', () => {
    const container = {
      name: 'c',
      image: 'a/b:1',
      ports: [{ containerPort: 80 }],
      livenessProbe: { tcpSocket: { port: 80 } },
      startupProbe: { grpc: { port: 1 } },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
      env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    };
    expect(created('', 'Pod', { spec: { hostNetwork: true, containers: [container] } })).toContain(
      '[{"name":"c","image":"a/b:1","ports":[{"hostPort":80,"containerPort":80,"protocol":"TCP"}],"env":[{"name":"a","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{},"livenessProbe":{"tcpSocket":{"port":80},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"startupProbe":{"grpc":{"port":1,"service":""},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"lifecycle":{"preStop":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"}}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}]',
    );
  });

  it('fill in volumes, service account and scheduling gate of a Pod', () => {
    const spec = {
      containers: [CONTAINER],
      serviceAccount: 'sa',
      schedulingGates: [{ name: 'g' }],
      volumes: [
        { name: 'a' },
        { name: 's', secret: { secretName: 'q' } },
        { name: 'h', hostPath: { path: '/x' } },
      ],
    };
    const pod = JSON.parse(created('', 'Pod', { spec })) as Record<string, Record<string, unknown>>;
    expect(pod['spec']).toMatchObject({
      serviceAccountName: 'sa',
      serviceAccount: 'sa',
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 's', secret: { secretName: 'q', defaultMode: 420 } },
        { name: 'h', hostPath: { path: '/x', type: '' } },
      ],
    });
    expect(pod['status']?.['conditions']).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: '2026-11-17T16:47:25Z',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]);
  });

  it.each([
    [[{ limits: { cpu: '1', memory: '1Gi' } }], 'Guaranteed'],
    [[{ limits: { cpu: '1', memory: '1Gi' } }, {}], 'Burstable'],
    [[{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }], 'Burstable'],
    [[{ requests: { cpu: '0' } }], 'BestEffort'],
    [[{ limits: { 'x.io/gpu': '1' } }], 'BestEffort'],
  ])('set the QoS class of a Pod with resources %j to %s', (resources, qosClass) => {
    const containers = resources.map((entry, index) => ({ name: `c${index}`, image: 'i', resources: entry }));
    expect(created('', 'Pod', { spec: { containers } })).toContain(`"qosClass":"${qosClass}"`);
  });

  it('fill in the fields of a Service', () => {
    expect(created('', 'Service', { spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } })).toBe(
      '{"metadata":{},"spec":{"ports":[{"protocol":"TCP","port":80,"targetPort":80}],"selector":{"app":"x"},"clusterIP":"10.0.0.48","clusterIPs":["10.0.0.48"],"type":"ClusterIP","sessionAffinity":"None","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}}',
    );
  });

  it.each([
    [
      { clusterIP: 'None' },
      '{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","sessionAffinity":"None","ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"RequireDualStack","internalTrafficPolicy":"Cluster"}',
    ],
    [
      { type: 'ExternalName', externalName: 'a.b' },
      '{"type":"ExternalName","sessionAffinity":"None","externalName":"a.b"}',
    ],
    [
      { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 'http' }], selector: { a: 'b' } },
      '{"ports":[{"protocol":"TCP","port":80,"targetPort":"http","nodePort":30080}],"selector":{"a":"b"},"clusterIP":"10.0.0.48","clusterIPs":["10.0.0.48"],"type":"LoadBalancer","sessionAffinity":"None","externalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","allocateLoadBalancerNodePorts":true,"internalTrafficPolicy":"Cluster"}',
    ],
    [
      { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] },
      '{"ports":[{"protocol":"TCP","port":80,"targetPort":80}],"clusterIP":"10.0.0.48","clusterIPs":["10.0.0.48"],"type":"ClusterIP","sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"}',
    ],
  ])('fill in the fields of a Service with %j', (spec, expected) => {
    expect(created('', 'Service', { spec })).toContain(`"spec":${expected}`);
  });

  it('fill in the fields of a Deployment', () => {
    const spec = {
      replicas: 2,
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [CONTAINER] } },
    };
    expect(created('apps', 'Deployment', { spec, status: { replicas: 5 } })).toBe(
      `{"metadata":{},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[${FULL_CONTAINER}],"restartPolicy":"Always",${TEMPLATE_REST}}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}`,
    );
  });

  it('fill in the fields of a ReplicaSet', () => {
    expect(created('apps', 'ReplicaSet', { spec: { selector: {} } })).toMatch(
      /"spec":\{"replicas":1,.*"status":\{"replicas":0\}\}$/,
    );
  });

  it('fill in the fields of a Job, which selects by its uid', () => {
    const labels = `{"batch.kubernetes.io/controller-uid":"${UID}","batch.kubernetes.io/job-name":"j","controller-uid":"${UID}","job-name":"j"}`;
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } };
    expect(created('batch', 'Job', { metadata: { name: 'j' }, spec })).toBe(
      `{"metadata":{"name":"j","labels":${labels}},"spec":{"parallelism":1,"completions":1,"backoffLimit":6,"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"${UID}"}},"manualSelector":false,"template":{"metadata":{"labels":${labels}},"spec":{"containers":[${FULL_CONTAINER}],"restartPolicy":"Never",${TEMPLATE_REST}}},"completionMode":"NonIndexed","suspend":false,"podReplacementPolicy":"TerminatingOrFailed"},"status":{}}`,
    );
  });

  it.each([
    [
      '',
      'Namespace',
      { metadata: { name: 'n', labels: { b: '2' } } },
      '{"metadata":{"name":"n","labels":{"b":"2","kubernetes.io/metadata.name":"n"}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}',
    ],
    [
      '',
      'Secret',
      { stringData: { b: '2' }, data: { a: 'MQ==' } },
      '{"metadata":{},"data":{"a":"MQ==","b":"Mg=="},"type":"Opaque"}',
    ],
    [
      '',
      'Node',
      { spec: { podCIDR: '10.1.0.0/24' }, status: { capacity: { cpu: '1' } } },
      '{"metadata":{},"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]},"status":{"capacity":{"cpu":"1"},"allocatable":{"cpu":"1"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}}',
    ],
    [
      '',
      'Endpoints',
      { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] },
      '{"metadata":{},"subsets":[{"addresses":[{"ip":"10.1.1.1"}],"ports":[{"port":80,"protocol":"TCP"}]}]}',
    ],
    [
      'discovery.k8s.io',
      'EndpointSlice',
      { addressType: 'IPv4', endpoints: [], ports: [{ port: 80 }] },
      '{"metadata":{},"addressType":"IPv4","endpoints":[],"ports":[{"name":"","protocol":"TCP","port":80}]}',
    ],
    [
      'apiextensions.k8s.io',
      'CustomResourceDefinition',
      {
        spec: {
          group: 'x.io',
          names: { plural: 'widgets', kind: 'Widget' },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true }],
        },
      },
      '{"metadata":{},"spec":{"group":"x.io","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true}],"conversion":{"strategy":"None"}},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}}',
    ],
  ])('fill in the fields of %s %s', (group, kind, object, expected) => {
    expect(created(group, kind, object)).toBe(expected);
  });

  it('are idempotent, and leave kinds without defaults unchanged', () => {
    const pods = { group: '', kind: 'Pod' };
    const once = applyDefaults(pods, { spec: { containers: [CONTAINER] } });
    expect(applyDefaults(pods, once)).toEqual(once);
    const widget = { spec: {} };
    expect(applyDefaults({ group: 'x.io', kind: 'Widget' }, widget)).toBe(widget);
  });
});

describe('updates of objects', () => {
  const allocator = { clusterIP: () => '10.0.0.99', nodePort: () => 30_099 };

  it('keep the status on the main endpoint', () => {
    const pods = { group: '', kind: 'Pod', hasStatus: true };
    const previous = { spec: {}, status: { phase: 'Running' } };
    const next = { spec: { nodeName: 'n' }, status: { phase: 'Failed' } };
    expect(prepareForUpdate(pods, next, previous, allocator)).toEqual({
      spec: { nodeName: 'n' },
      status: { phase: 'Running' },
    });
  });

  it('keep the addresses of a service', () => {
    const services = { group: '', kind: 'Service', hasStatus: true };
    const ports = [{ port: 80, protocol: 'TCP', nodePort: 30_001 }];
    const allocated = {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    };
    const previous = { spec: { type: 'NodePort', ports, ...allocated } };
    const added = { port: 81, protocol: 'TCP' };
    const next = { spec: { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP' }, added] } };
    expect(prepareForUpdate(services, next, previous, allocator)).toEqual({
      spec: { type: 'NodePort', ports: [...ports, { ...added, nodePort: 30_099 }], ...allocated },
    });
  });

  it('change only the status on the status endpoint, and labels of built-in kinds', () => {
    const previous = { metadata: { name: 'a', labels: { x: '1' } }, spec: { a: 1 }, status: { s: 1 } };
    const next = { metadata: { name: 'a', labels: { x: '2' } }, spec: { a: 2 }, status: { s: 2 } };
    const updated = (group: string, kind: string): unknown =>
      prepareForStatusUpdate({ group, kind, hasStatus: true }, next, previous);
    expect(updated('', 'Node')).toEqual({ metadata: next.metadata, spec: { a: 1 }, status: { s: 2 } });
    expect(updated('apps', 'Deployment')).toEqual({
      metadata: previous.metadata,
      spec: { a: 1 },
      status: { s: 2 },
    });
    expect(updated('x.io', 'Widget')).toEqual({
      metadata: previous.metadata,
      spec: { a: 1 },
      status: { s: 2 },
    });
  });
});
