/** The status of a CustomResourceDefinition: created, names accepted or not, established, terminating. */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord } from '../json.js';
import { type DefinitionNames, readDefinition, readNames } from './definition.js';

/** In the field order of the wire. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface DefinitionStatus {
  readonly conditions: readonly Condition[] | null;
  readonly acceptedNames: Readonly<Record<string, unknown>>;
  readonly storedVersions: readonly string[];
}

/** Added by DELETE; the server removes it once the custom resources are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The status of a new object; the client's status is ignored. */
export function initialStatus(crd: KubeObject): DefinitionStatus {
  const storage = readDefinition(crd).versions.find(({ isStorage }) => isStorage);
  return {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? [] : [storage.name],
  };
}

/**
 * The status that kube-apiserver's controllers set (two writes after the creation). `now` is the time of
 * conditions that change; `others` are the stored definitions, whose names are taken.
 */
export function establish(
  crd: KubeObject,
  now: string,
  others: readonly KubeObject[] = [],
): DefinitionStatus {
  const { group, names, versions } = readDefinition(crd);
  const before = statusOf(crd);
  const accepted = readNames(before.acceptedNames);
  const ofGroup = others.filter(
    (other) => other.metadata?.name !== crd.metadata?.name && readDefinition(other).group === group,
  );
  const used = ofGroup.map((other) => readNames(statusOf(other).acceptedNames));
  const { next, conflict } = acceptNames(names, accepted, used);

  const wasEstablished = conditionOf(before, 'Established')?.status === 'True';
  const namesAccepted = conflict ?? ['True', 'NoConflicts', 'no conflicts found'];
  const established =
    conflict === undefined || wasEstablished
      ? ['True', 'InitialNamesAccepted', 'the initial names have been accepted']
      : ['False', 'NotAccepted', 'not all names are accepted'];
  const storage = versions.find(({ isStorage }) => isStorage)?.name;
  const stored = before.storedVersions;
  return withCondition(
    withCondition(
      {
        conditions: before.conditions,
        acceptedNames: wireNames(next),
        storedVersions: storage === undefined || stored.includes(storage) ? stored : [...stored, storage],
      },
      ['NamesAccepted', ...namesAccepted],
      now,
    ),
    ['Established', ...established],
    now,
  );
}

export function isEstablished(crd: KubeObject): boolean {
  return conditionOf(statusOf(crd), 'Established')?.status === 'True';
}

/** A copy as the first DELETE stores and returns it. */
export function terminating(crd: KubeObject, now: string): KubeObject {
  const finalizers = crd.metadata?.['finalizers'];
  const kept: unknown[] = Array.isArray(finalizers) ? finalizers : [];
  return {
    ...crd,
    metadata: {
      ...crd.metadata,
      deletionTimestamp: now,
      finalizers: kept.includes(CLEANUP_FINALIZER) ? kept : [...kept, CLEANUP_FINALIZER],
    },
    status: withCondition(
      statusOf(crd),
      [
        'Terminating',
        'True',
        'InstanceDeletionPending',
        'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      ],
      now,
    ),
  };
}

/** A taken name stays as it was accepted before; the last conflict is the one reported. */
function acceptNames(
  wanted: DefinitionNames,
  accepted: DefinitionNames,
  used: readonly DefinitionNames[],
): { next: DefinitionNames; conflict: readonly [string, string, string] | undefined } {
  const usedResources = new Set(used.flatMap((each) => [each.plural, each.singular, ...each.shortNames]));
  const usedKinds = new Set(used.flatMap((each) => [each.kind, each.listKind]));
  const next = { ...accepted, categories: wanted.categories };
  let conflict: readonly [string, string, string] | undefined;

  const claim = (name: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>): void => {
    if (wanted[name] === accepted[name] || !taken.has(wanted[name])) {
      next[name] = wanted[name];
      return;
    }
    const reason = `${name.charAt(0).toUpperCase()}${name.slice(1)}Conflict`;
    conflict = ['False', reason, inUse(wanted[name])];
  };

  claim('plural', usedResources);
  claim('singular', usedResources);
  const taken = wanted.shortNames.filter(
    (name) => !accepted.shortNames.includes(name) && usedResources.has(name),
  );
  if (taken.length === 0) next.shortNames = wanted.shortNames;
  else {
    const messages = taken.map(inUse);
    const message = messages.length === 1 ? messages.join() : `[${messages.join(', ')}]`;
    conflict = ['False', 'ShortNamesConflict', message];
  }
  claim('kind', usedKinds);
  claim('listKind', usedKinds);
  return { next, conflict };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function wireNames(names: DefinitionNames): Record<string, unknown> {
  return {
    plural: names.plural,
    ...(names.singular === '' ? {} : { singular: names.singular }),
    ...(names.shortNames.length === 0 ? {} : { shortNames: names.shortNames }),
    kind: names.kind,
    ...(names.listKind === '' ? {} : { listKind: names.listKind }),
    ...(names.categories.length === 0 ? {} : { categories: names.categories }),
  };
}

function statusOf(crd: KubeObject): DefinitionStatus {
  const status = crd['status'];
  return isRecord(status) && Array.isArray(status['storedVersions'])
    ? (status as unknown as DefinitionStatus)
    : initialStatus(crd);
}

function conditionOf(status: DefinitionStatus, type: string): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** Keeps the transition time if the condition's status does not change. */
function withCondition(
  status: DefinitionStatus,
  [type = '', state = '', reason = '', message = '']: readonly string[],
  now: string,
): DefinitionStatus {
  const before = conditionOf(status, type);
  const lastTransitionTime = before?.status === state ? before.lastTransitionTime : now;
  const condition: Condition = { type, status: state, lastTransitionTime, reason, message };
  const conditions = status.conditions ?? [];
  return {
    ...status,
    conditions:
      before === undefined
        ? [...conditions, condition]
        : conditions.map((each) => (each === before ? condition : each)),
  };
}
