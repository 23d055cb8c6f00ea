import type { KubeObject } from '../control/kube-object.js';
import type { Environment } from '../environment.js';
import { cloneJson, isRecord } from '../json.js';
import { terminating } from '../resources/definition-status.js';
import type { Resource } from '../resources/resource.js';
import { StatusError } from '../status-error.js';
import { metadataOf } from './metadata.js';

export interface DeleteOptions {
  readonly isDryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/**
 * What a DELETE does: `remove` the object now, after storing `marked` if there is one; only store `marked` and
 * leave the rest to finalizers, a kubelet or a controller; or `keep` it unchanged, because it is already being
 * deleted as requested.
 */
export type Deletion =
  | { readonly kind: 'remove'; readonly marked?: KubeObject }
  | { readonly kind: 'mark'; readonly marked: KubeObject }
  | { readonly kind: 'keep' };

const DEFAULT_POD_GRACE_SECONDS = 30;

export function planDeletion(
  resource: Resource,
  current: KubeObject,
  options: DeleteOptions,
  environment: Environment,
): Deletion {
  checkPreconditions(resource, current, options);
  const metadata = metadataOf(current);
  if (resource.kind === 'Namespace' && resource.group === '') return deleteNamespace(current, environment);
  if (resource.kind === 'CustomResourceDefinition') return deleteDefinition(current, environment);
  const finalizers = finalizersAfter(metadata.finalizers ?? [], withDefaultPolicy(resource, options));
  const grace = resource.kind === 'Pod' && !resource.isCustom ? podGrace(current, options) : 0;
  if (metadata.deletionTimestamp !== undefined) {
    const left = metadata.deletionGracePeriodSeconds ?? 0;
    if (grace >= left && (left > 0 || finalizers.length > 0)) return { kind: 'keep' };
  }
  if (finalizers.length === 0 && grace === 0 && resource.kind !== 'Pod') return { kind: 'remove' };
  const marked = cloneJson(current);
  const next = metadataOf(marked);
  if (finalizers.length > 0) next.finalizers = finalizers;
  if (metadata.deletionTimestamp === undefined && next.generation !== undefined) next.generation++;
  next.deletionTimestamp = environment.timestamp(grace);
  next.deletionGracePeriodSeconds = grace;
  return { kind: finalizers.length === 0 && grace === 0 ? 'remove' : 'mark', marked };
}

function checkPreconditions(resource: Resource, current: KubeObject, { preconditions }: DeleteOptions): void {
  const { name, uid, resourceVersion } = metadataOf(current);
  const mismatch = (what: string, asked: string, found: string | undefined, guess: string): StatusError =>
    new StatusError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${resource.kind} ${JSON.stringify(name)}: the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${guess}`,
      { details: { ...(name === undefined ? {} : { name }), kind: resource.kind } },
    );
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw mismatch('UID', preconditions.uid, uid, 'deleted and then recreated');
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw mismatch('ResourceVersion', preconditions.resourceVersion, resourceVersion, 'modified');
  }
}

/** Jobs orphan their dependents by default, for compatibility. */
export function hasOrphaningDefault(resource: Resource, options: DeleteOptions): boolean {
  return resource.group === 'batch' && resource.kind === 'Job' && options.propagationPolicy === undefined;
}

function withDefaultPolicy(resource: Resource, options: DeleteOptions): DeleteOptions {
  return hasOrphaningDefault(resource, options) ? { ...options, propagationPolicy: 'Orphan' } : options;
}

/** Without a garbage collector the two propagation finalizers stay, as on an API server without controllers. */
function finalizersAfter(finalizers: readonly string[], { propagationPolicy }: DeleteOptions): string[] {
  const others = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  if (propagationPolicy === 'Orphan') return [...others, 'orphan'];
  if (propagationPolicy === 'Foreground') return [...others, 'foregroundDeletion'];
  return propagationPolicy === undefined ? [...finalizers] : others;
}

/** Pods that are not scheduled, or have terminated, are deleted immediately. */
function podGrace(pod: KubeObject, options: DeleteOptions): number {
  const spec = isRecord(pod['spec']) ? pod['spec'] : {};
  const status = isRecord(pod['status']) ? pod['status'] : {};
  const isRunning =
    (spec['nodeName'] ?? '') !== '' && !['Succeeded', 'Failed'].includes(String(status['phase']));
  if (!isRunning) return 0;
  const asked = options.gracePeriodSeconds ?? spec['terminationGracePeriodSeconds'];
  return Math.max(0, typeof asked === 'number' ? asked : DEFAULT_POD_GRACE_SECONDS);
}

function deleteNamespace(current: KubeObject, environment: Environment): Deletion {
  if (metadataOf(current).deletionTimestamp !== undefined) return { kind: 'keep' };
  const marked = cloneJson(current);
  metadataOf(marked).deletionTimestamp = environment.timestamp();
  marked['status'] = { ...(isRecord(marked['status']) ? marked['status'] : {}), phase: 'Terminating' };
  return { kind: 'mark', marked };
}

function deleteDefinition(current: KubeObject, environment: Environment): Deletion {
  if (metadataOf(current).deletionTimestamp !== undefined) return { kind: 'keep' };
  return { kind: 'mark', marked: terminating(current, environment.timestamp()) };
}
