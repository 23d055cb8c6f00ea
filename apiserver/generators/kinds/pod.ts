/** Pods of replica sets, ten per owner. */

import type { Draft, DraftContext } from '../draft.js';
import type { JsonObject } from '../go-json.js';
import type { FieldOwner } from '../managed-fields.js';
import { counterNumber, variable } from '../placeholder.js';
import type { Random } from '../random.js';
import { exactly, objectMeta, TEAMS, TIERS } from './object-meta.js';
import { growEnvironment, hasRoom, podParts } from './pod-template.js';

type Phase = 'Running' | 'Pending' | 'Failed';

export function draftPod(context: DraftContext): Draft {
  const { random, spec } = context;
  const phase = phaseOf(context.ordinal);
  const metadata = objectMeta(context, {
    generateName: `${variable('owner')}-`,
    generation: 1,
    labels: exactly(spec.labels, labels(random), (k) => [`example.com/${random.word()}-${k}`, random.word()]),
    annotations: exactly(spec.annotations, annotations(random), (k) => [
      `${random.word()}.example.com/${random.word()}-${k}`,
      random.words(5, ' '),
    ]),
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: variable('owner'),
        uid: variable('ownerUid'),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  const isRoomy = hasRoom(context);
  const parts = podParts(context, isRoomy ? `kube-api-access-${variable('token')}` : undefined);
  const podSpec: JsonObject = {
    ...(parts.volumes.length > 0 ? { volumes: parts.volumes } : {}),
    containers: parts.containers,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    nodeName: variable('node'),
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...(isRoomy ? { tolerations: tolerations() } : {}),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
  const status = podStatus(random, phase, parts.containers, isRoomy);
  const object = { metadata, spec: podSpec, status };
  growEnvironment(context, object, parts);
  return { object, owners: owners(metadata, podSpec, status) };
}

function tolerations(): JsonObject[] {
  return ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
}

/** Most pods are running. Templates 7, 23, 39 … are pending, 13, 45 … failed, so that phases can be selected. */
function phaseOf(ordinal: number): Phase {
  if (ordinal % 16 === 7) return 'Pending';
  return ordinal % 32 === 13 ? 'Failed' : 'Running';
}

function labels(random: Random): Record<string, string> {
  return {
    app: variable('app'),
    'pod-template-hash': variable('hash'),
    tier: random.pick(TIERS),
    team: random.pick(TEAMS),
    'app.kubernetes.io/name': variable('app'),
    'app.kubernetes.io/managed-by': random.pick(['Helm', 'argocd', 'kustomize']),
    'app.kubernetes.io/version': `${random.int(9)}.${random.int(30)}.${random.int(12)}`,
    'topology.kubernetes.io/region': random.pick(['eu-west-1', 'us-east-1', 'ap-south-1']),
    environment: random.pick(['production', 'staging']),
  };
}

function annotations(random: Random): Record<string, string> {
  return {
    'kubectl.kubernetes.io/restartedAt': variable('created'),
    'prometheus.io/scrape': 'true',
    'checksum/config': random.hex(64),
    'example.com/description': `${random.words(4, ' ')} <${random.word()}@example.com> & co, Größe ≤ ${random.int(99)} – ${random.words(3, ' ')}`,
    'cni.projectcalico.org/podIP': `${variable('podIp')}/32`,
    'cni.projectcalico.org/containerID': variable('digest'),
  };
}

function podStatus(
  random: Random,
  phase: Phase,
  containers: readonly JsonObject[],
  isRoomy: boolean,
): JsonObject {
  const isReady = phase === 'Running' ? 'True' : 'False';
  const reason: JsonObject =
    phase === 'Running'
      ? {}
      : {
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${containers[0]?.['name']}]`,
        };
  const condition = (type: string, status: string, time: string, why: JsonObject = {}): JsonObject => ({
    type,
    observedGeneration: 1,
    status,
    lastProbeTime: null,
    lastTransitionTime: time,
    ...why,
  });
  return {
    observedGeneration: 1,
    phase,
    conditions: [
      ...(isRoomy
        ? [
            condition('PodReadyToStartContainers', 'True', variable('started')),
            condition('Initialized', 'True', variable('created')),
          ]
        : []),
      condition('Ready', isReady, variable('changed'), reason),
      condition('ContainersReady', isReady, variable('changed'), reason),
      condition('PodScheduled', 'True', variable('created')),
    ],
    ...(phase === 'Failed'
      ? { message: 'The node was low on resource: ephemeral-storage.', reason: 'Evicted' }
      : {}),
    hostIP: variable('nodeIp'),
    hostIPs: [{ ip: variable('nodeIp') }],
    ...(phase === 'Pending' ? {} : { podIP: variable('podIp'), podIPs: [{ ip: variable('podIp') }] }),
    startTime: variable('created'),
    containerStatuses: containers.map((container, k) => containerStatus(random, phase, container, k)),
    qosClass: 'Burstable',
  };
}

function containerStatus(random: Random, phase: Phase, container: JsonObject, ordinal: number): JsonObject {
  const containerId = `containerd://${random.hex(8)}${variable('digestTail')}`;
  const states: Record<Phase, JsonObject> = {
    Running: { running: { startedAt: variable('started') } },
    Pending: { waiting: { reason: 'ContainerCreating' } },
    Failed: {
      terminated: {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        startedAt: variable('started'),
        finishedAt: variable('changed'),
      },
    },
  };
  const image = container['image'] as string;
  return {
    name: container['name'] as string,
    state: states[phase],
    lastState: {},
    ready: phase === 'Running',
    // With churn, one container restarts.
    restartCount: ordinal === 0 ? counterNumber('mutation') : 0,
    image,
    imageID: phase === 'Pending' ? '' : `${image.split(':')[0]}@sha256:${random.hex(64)}`,
    ...(phase === 'Pending' ? {} : { containerID: containerId }),
    started: phase === 'Running',
  };
}

function owners(metadata: JsonObject, spec: JsonObject, status: JsonObject): FieldOwner[] {
  const { nodeName: _nodeName, volumes, ...created } = spec;
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([key]) =>
      ['generateName', 'labels', 'annotations', 'ownerReferences'].includes(key),
    ),
  );
  const conditions = status['conditions'] as JsonObject[];
  const reported = conditions.filter((condition) => condition['type'] !== 'PodScheduled');
  const { conditions: _conditions, qosClass: _qosClass, ...kubelet } = status;
  return [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      time: variable('created'),
      owns: { metadata: own, spec: { ...created, ...(volumes === undefined ? {} : { volumes }) } },
    },
    {
      manager: 'kubelet',
      operation: 'Update',
      time: variable('changed'),
      subresource: 'status',
      owns: { status: { conditions: reported, ...kubelet } },
    },
    {
      manager: 'kube-scheduler',
      operation: 'Update',
      time: variable('created'),
      subresource: 'status',
      owns: {
        status: { conditions: conditions.filter((condition) => condition['type'] === 'PodScheduled') },
      },
    },
  ];
}
