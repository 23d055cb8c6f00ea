/** Deployments, replica sets and jobs: a pod template and a count. */

import type { Draft, DraftContext } from '../draft.js';
import type { JsonObject } from '../go-json.js';
import { counterString, variable } from '../placeholder.js';
import { appLabels, objectMeta } from './object-meta.js';
import { growEnvironment, type PodParts, podParts } from './pod-template.js';

const CHURN_ANNOTATION = 'example.com/reconciles';

export function draftDeployment(context: DraftContext): Draft {
  const labels = appLabels(context);
  const annotations = {
    [CHURN_ANNOTATION]: counterString('mutation'),
    'deployment.kubernetes.io/revision': String(context.random.between(1, 40)),
  };
  const metadata = objectMeta(context, { generation: 3, labels, annotations });
  const parts = podParts(context, undefined);
  const spec = {
    replicas: 10,
    selector: { matchLabels: { app: variable('app') } },
    template: template(parts, { app: variable('app') }, 'Always'),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  };
  const status = {
    observedGeneration: 3,
    replicas: 10,
    updatedReplicas: 10,
    readyReplicas: 10,
    availableReplicas: 10,
    conditions: [
      deploymentCondition('Available', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'),
      deploymentCondition('Progressing', 'NewReplicaSetAvailable', 'ReplicaSet has successfully progressed.'),
    ],
  };
  return finish(context, { metadata, spec, status }, parts, 'helm', { annotations, labels });
}

export function draftReplicaSet(context: DraftContext): Draft {
  const podLabels = { app: variable('app'), 'pod-template-hash': variable('hash') };
  const labels = { ...appLabels(context), ...podLabels };
  const annotations = {
    [CHURN_ANNOTATION]: counterString('mutation'),
    'deployment.kubernetes.io/desired-replicas': '10',
    'deployment.kubernetes.io/max-replicas': '13',
  };
  const ownerReferences = [controller('apps/v1', 'Deployment')];
  const metadata = objectMeta(context, { generation: 1, labels, annotations, ownerReferences });
  const parts = podParts(context, undefined);
  const spec = {
    replicas: 10,
    selector: { matchLabels: podLabels },
    template: template(parts, podLabels, 'Always'),
  };
  const status = {
    replicas: 10,
    fullyLabeledReplicas: 10,
    readyReplicas: 10,
    availableReplicas: 10,
    observedGeneration: 1,
  };
  const owned = { annotations, labels, ownerReferences };
  return finish(context, { metadata, spec, status }, parts, 'kube-controller-manager', owned);
}

export function draftJob(context: DraftContext): Draft {
  const isDone = context.ordinal % 3 !== 1;
  const podLabels = {
    'batch.kubernetes.io/controller-uid': variable('uid'),
    'batch.kubernetes.io/job-name': variable('name'),
  };
  const labels = { ...appLabels(context), ...podLabels };
  const annotations = { [CHURN_ANNOTATION]: counterString('mutation') };
  const ownerReferences = [controller('batch/v1', 'CronJob')];
  const metadata = objectMeta(context, { generation: 1, labels, annotations, ownerReferences });
  const parts = podParts(context, undefined);
  const spec = {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': variable('uid') } },
    template: template(parts, podLabels, 'OnFailure'),
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  };
  const complete = {
    type: 'Complete',
    status: 'True',
    lastProbeTime: variable('changed'),
    lastTransitionTime: variable('changed'),
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
  const status = {
    ...(isDone ? { conditions: [complete] } : {}),
    startTime: variable('created'),
    ...(isDone ? { completionTime: variable('started'), succeeded: 1 } : { active: 1 }),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready: isDone ? 0 : 1,
  };
  const owned = { annotations, labels, ownerReferences };
  return finish(context, { metadata, spec, status }, parts, 'kube-controller-manager', owned);
}

function finish(
  context: DraftContext,
  object: { metadata: JsonObject; spec: JsonObject; status: JsonObject },
  parts: PodParts,
  manager: string,
  metadata: JsonObject,
): Draft {
  growEnvironment(context, { ...object }, parts);
  return {
    object: { ...object },
    owners: [
      { manager, operation: 'Update', time: variable('created'), owns: { metadata, spec: object.spec } },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: variable('changed'),
        subresource: 'status',
        owns: { status: object.status },
      },
    ],
  };
}

function template(parts: PodParts, labels: Record<string, string>, restartPolicy: string): JsonObject {
  return {
    metadata: { labels },
    spec: {
      ...(parts.volumes.length > 0 ? { volumes: parts.volumes } : {}),
      containers: parts.containers,
      restartPolicy,
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
  };
}

function controller(apiVersion: string, kind: string): JsonObject {
  return {
    apiVersion,
    kind,
    name: variable('app'),
    uid: variable('ownerUid'),
    controller: true,
    blockOwnerDeletion: true,
  };
}

function deploymentCondition(type: string, reason: string, message: string): JsonObject {
  return {
    type,
    status: 'True',
    lastUpdateTime: variable('changed'),
    lastTransitionTime: variable('started'),
    reason,
    message,
  };
}
