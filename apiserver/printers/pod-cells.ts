/**
 * The table cells of a pod, after kube-apiserver's printPod (Apache-2.0): one reason for the state of its
 * containers.
 */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { isRecord } from '../json.js';
import { ageSince } from './human-duration.js';

interface PodSummary {
  reason: string;
  ready: number;
  restarts: number;
  /** When a container was last terminated before its restart. */
  lastRestart: string;
}

export function podCells(pod: Json, nowMs: number): unknown[] {
  const metadata = objectAt(pod, 'metadata');
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const summary = summarize(pod);
  const sidecars = itemsAt(spec, 'initContainers').filter(isSidecar);
  const total = itemsAt(spec, 'containers').length + sidecars.length;
  const { restarts, lastRestart } = summary;
  return [
    metadata['name'],
    `${summary.ready}/${total}`,
    summary.reason,
    restarts > 0 && lastRestart !== '' ? `${restarts} (${ageSince(lastRestart, nowMs)} ago)` : `${restarts}`,
    ageSince(metadata['creationTimestamp'], nowMs),
    status['podIP'] || '<none>',
    spec['nodeName'] || '<none>',
    status['nominatedNodeName'] || '<none>',
    readinessGates(spec, status),
  ];
}

/** The row conditions of pods that have succeeded or failed. */
export function podRowConditions(pod: Json): readonly Json[] | undefined {
  switch (objectAt(pod, 'status')['phase']) {
    case 'Succeeded':
      return [rowCompleted('Succeeded', 'The pod has completed successfully.')];
    case 'Failed':
      return [rowCompleted('Failed', 'The pod failed.')];
    default:
      return undefined;
  }
}

function rowCompleted(reason: string, message: string): Json {
  return { type: 'Completed', status: 'True', reason, message };
}

function summarize(pod: Json): PodSummary {
  const status = objectAt(pod, 'status');
  const conditions = itemsAt(status, 'conditions');
  const summary: PodSummary = {
    reason: String(status['reason'] || status['phase'] || ''),
    ready: 0,
    restarts: 0,
    lastRestart: '',
  };
  const isGated = conditions.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) summary.reason = 'SchedulingGated';
  const sidecarRestarts = { ...summary, restarts: 0, lastRestart: '' };
  const isInitializing = addInitContainers(pod, summary, sidecarRestarts);
  if (!isInitializing || hasCondition(conditions, 'Initialized')) {
    summary.restarts = sidecarRestarts.restarts;
    summary.lastRestart = sidecarRestarts.lastRestart;
    addContainers(itemsAt(status, 'containerStatuses'), conditions, summary);
  }
  const isDeleted = Boolean(objectAt(pod, 'metadata')['deletionTimestamp']);
  const isDone = status['phase'] === 'Succeeded' || status['phase'] === 'Failed';
  if (isDeleted && status['reason'] === 'NodeLost') summary.reason = 'Unknown';
  else if (isDeleted && !isDone) summary.reason = 'Terminating';
  return summary;
}

/** True if an init container has not completed; it determines the reason. */
function addInitContainers(pod: Json, summary: PodSummary, sidecarRestarts: PodSummary): boolean {
  const containers = itemsAt(objectAt(pod, 'spec'), 'initContainers');
  for (const [index, container] of itemsAt(objectAt(pod, 'status'), 'initContainerStatuses').entries()) {
    const declared = containers.find(({ name }) => name === container['name']);
    const isRestartable = declared !== undefined && isSidecar(declared);
    addRestarts(container, summary);
    if (isRestartable) addRestarts(container, sidecarRestarts);
    const state = objectAt(container, 'state');
    const terminated = state['terminated'];
    if (isRecord(terminated) && !terminated['exitCode']) continue;
    if (isRestartable && container['started'] === true) {
      if (container['ready'] === true) summary.ready++;
      continue;
    }
    const waiting = String(objectAt(state, 'waiting')['reason'] ?? '');
    if (isRecord(terminated)) summary.reason = `Init:${exitReason(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${index}/${containers.length}`;
    return true;
  }
  return false;
}

function addContainers(statuses: readonly Json[], conditions: readonly Json[], summary: PodSummary): void {
  let hasRunning = false;
  let errorReason = '';
  for (const container of [...statuses].reverse()) {
    addRestarts(container, summary);
    const state = objectAt(container, 'state');
    const waiting = objectAt(state, 'waiting')['reason'];
    const terminated = state['terminated'];
    if (waiting) summary.reason = String(waiting);
    else if (isRecord(terminated)) {
      summary.reason = exitReason(terminated);
      if (terminated['exitCode']) errorReason = summary.reason;
    } else if (container['ready'] === true && isRecord(state['running'])) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (hasRunning && hasCondition(conditions, 'Ready')) summary.reason = 'Running';
  else if (errorReason !== '') summary.reason = errorReason;
  else if (hasRunning) summary.reason = 'NotReady';
}

function addRestarts(container: Json, summary: PodSummary): void {
  summary.restarts += Number(container['restartCount'] ?? 0);
  const finishedAt = objectAt(objectAt(container, 'lastState'), 'terminated')['finishedAt'];
  if (typeof finishedAt === 'string' && finishedAt > summary.lastRestart) summary.lastRestart = finishedAt;
}

function exitReason(terminated: Json): string {
  if (terminated['reason']) return String(terminated['reason']);
  return terminated['signal'] ? `Signal:${terminated['signal']}` : `ExitCode:${terminated['exitCode'] ?? 0}`;
}

function readinessGates(spec: Json, status: Json): string {
  const gates = itemsAt(spec, 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = itemsAt(status, 'conditions');
  const open = gates.filter((gate) => hasCondition(conditions, gate['conditionType']));
  return `${open.length}/${gates.length}`;
}

function isSidecar(container: Json): boolean {
  return container['restartPolicy'] === 'Always';
}

function hasCondition(conditions: readonly Json[], type: unknown): boolean {
  return conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
}
