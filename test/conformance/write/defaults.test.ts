/** POST of a minimal object of each kind: what the server fills in, byte for byte. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { goJson } from '../harness/json-text.js';
import { type KubeObject, kindNamed } from '../harness/objects.js';
import { noCreationTime } from '../harness/versions.js';

const container = {
  name: 'main',
  image: 'example.com/app:1.0',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};
const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const selector = { matchLabels: { app: 'x' } };
const template = { metadata: { labels: { app: 'x' } }, spec: podSpec };

function jobLabels(name: string, uid: string): Record<string, string> {
  return {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
}

/** Everything after metadata, in the order of the text. */
type Rest = Record<string, unknown>;

const rows: [kind: string, rest: (created: KubeObject) => Rest][] = [
  [
    'Pod',
    () => ({
      spec: { ...podSpec, enableServiceLinks: true },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    }),
  ],
  [
    'Node',
    () => ({
      spec: {},
      status: {
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    }),
  ],
  ['Namespace', () => ({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } })],
  ['Endpoints', () => ({})],
  ['EndpointSlice', () => ({ addressType: 'IPv4', endpoints: null, ports: null })],
  ['ConfigMap', () => ({ data: { a: '1' } })],
  ['Secret', () => ({ data: { a: 'MQ==' }, type: 'Opaque' })],
  [
    'Event',
    ({ metadata }) => ({
      involvedObject: { kind: 'Pod', namespace: metadata.namespace, name: 'p' },
      reason: 'Tested',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: 'Normal',
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    }),
  ],
  ['Lease', () => ({ spec: { holderIdentity: 'x' } })],
  [
    'Deployment',
    () => ({
      spec: {
        replicas: 1,
        selector,
        template,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    }),
  ],
  ['ReplicaSet', () => ({ spec: { replicas: 1, selector, template }, status: { replicas: 0 } })],
  [
    'Job',
    ({ metadata }) => ({
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } },
        manualSelector: false,
        template: {
          metadata: { labels: jobLabels(metadata.name, metadata.uid) },
          spec: { ...podSpec, restartPolicy: 'Never' },
        },
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      },
      status: {},
    }),
  ],
];

/** The metadata of a pod template has no creation time. */
function withTemplateTime(rest: Rest, minor: number): Rest {
  const { spec } = rest as { spec?: { template?: { metadata: object } } };
  if (spec?.template === undefined) return rest;
  const metadata = { ...noCreationTime(minor), ...spec.template.metadata };
  return { ...rest, spec: { ...spec, template: { ...spec.template, metadata } } };
}

describe('defaults', () => {
  test.for(rows)('are filled in for %s', async ([name, rest], { ns, minor }) => {
    const kind = kindNamed(name);
    const objectName = `${ns.name}-x`;
    const created = await ns.createKind(kind, objectName);
    const { text } = await ns.api.get(ns.pathOf(kind, objectName));
    const { metadata } = created;
    expect(text).toBe(
      `${goJson({ kind: kind.kind, apiVersion: kind.apiVersion, metadata, ...withTemplateTime(rest(created), minor) })}\n`,
    );
  });

  test('of a Service include a cluster IP and its families', async ({ ns }) => {
    const { spec, status } = await ns.createKind(kindNamed('Service'), 'a');
    const address = spec?.['clusterIP'];
    expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(goJson({ spec, status })).toBe(
      goJson({
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          clusterIP: address,
          clusterIPs: [address],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      }),
    );
  });

  test('of a Namespace include its name as a label', async ({ ns }) => {
    const { metadata } = (await ns.api.get(`/api/v1/namespaces/${ns.name}`)).json;
    expect(metadata.labels).toEqual({ 'kubernetes.io/metadata.name': ns.name });
  });

  test('of a Job include labels with its uid and name', async ({ ns }) => {
    const { metadata } = await ns.createKind(kindNamed('Job'), 'a');
    expect(metadata.labels).toEqual(jobLabels('a', metadata.uid));
  });

  test('of a Secret merge stringData into data', async ({ ns }) => {
    const created = await ns.create('secrets', {
      metadata: { name: 'a' },
      data: { x: 'MQ==', y: 'Mg==' },
      stringData: { y: 'two', z: 'ü' },
    });
    expect(created.data).toEqual({ x: 'MQ==', y: 'dHdv', z: 'w7w=' });
    expect(created).not.toHaveProperty('stringData');
  });

  test('of imagePullPolicy are Always for latest and for no tag, otherwise IfNotPresent', async ({ ns }) => {
    const images = ['app', 'app:latest', 'app:1', 'reg:5000/app', 'app@sha256:'.padEnd(75, '0')];
    const created = await ns.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: images.map((image, i) => ({ name: `c${i}`, image })) },
    });
    const containers = created.spec?.['containers'] as { imagePullPolicy: string }[];
    expect(containers.map(({ imagePullPolicy }) => imagePullPolicy)).toEqual([
      'Always',
      'Always',
      'IfNotPresent',
      'Always',
      'IfNotPresent',
    ]);
  });

  test('include the canonical form of quantities', async ({ ns }) => {
    const resources = { requests: { cpu: '0.1', memory: '1024Mi' }, limits: { cpu: '1500m' } };
    const created = await ns.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'app:1', resources }] },
    });
    const containers = created.spec?.['containers'] as { resources: unknown }[];
    expect(containers[0]?.resources).toEqual({
      limits: { cpu: '1500m' },
      requests: { cpu: '100m', memory: '1Gi' },
    });
  });
});
