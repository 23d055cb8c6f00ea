/** metadata, the same for all kinds. */

import type { DraftContext } from '../draft.js';
import { type Json, type JsonObject, sortedMap } from '../go-json.js';
import { counterString, variable } from '../placeholder.js';

export interface MetaParts {
  readonly generateName?: string;
  /** Omitted for kinds without a generation. */
  readonly generation?: Json;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly ownerReferences?: readonly JsonObject[];
  readonly finalizers?: readonly string[];
}

/** In the order of the Go struct. Empty maps and absent parts are omitted, as `omitempty` does. */
export function objectMeta(context: DraftContext, parts: MetaParts): JsonObject {
  return {
    name: variable('name'),
    ...(parts.generateName === undefined ? {} : { generateName: parts.generateName }),
    ...(context.spec.namespaces === 0 ? {} : { namespace: variable('namespace') }),
    uid: variable('uid'),
    resourceVersion: counterString('revision'),
    ...(parts.generation === undefined ? {} : { generation: parts.generation }),
    creationTimestamp: variable('created'),
    ...(isEmpty(parts.labels) ? {} : { labels: sortedMap(parts.labels) }),
    ...(isEmpty(parts.annotations) ? {} : { annotations: sortedMap(parts.annotations) }),
    ...(parts.ownerReferences === undefined ? {} : { ownerReferences: parts.ownerReferences }),
    ...(parts.finalizers === undefined ? {} : { finalizers: parts.finalizers }),
  };
}

/** The first `count` of the given entries, padded with generated ones. */
export function exactly(
  count: number,
  known: Record<string, string>,
  invent: (ordinal: number) => [key: string, value: string],
): Record<string, string> {
  const entries = Object.entries(known).slice(0, count);
  for (let k = entries.length; k < count; k++) entries.push(invent(k));
  return Object.fromEntries(entries);
}

/** The labels of most objects. */
export function appLabels(context: DraftContext): Record<string, string> {
  const { random } = context;
  return {
    'app.kubernetes.io/name': variable('app'),
    'app.kubernetes.io/managed-by': random.pick(['Helm', 'argocd', 'kustomize']),
    'app.kubernetes.io/version': `${random.int(9)}.${random.int(30)}.${random.int(12)}`,
    team: random.pick(TEAMS),
    tier: random.pick(TIERS),
  };
}

export const TEAMS: readonly string[] = ['payments', 'search', 'platform', 'logistics', 'growth', 'identity'];
export const TIERS: readonly string[] = ['frontend', 'backend', 'data', 'batch'];

function isEmpty(map: Record<string, string>): boolean {
  return Object.keys(map).length === 0;
}
