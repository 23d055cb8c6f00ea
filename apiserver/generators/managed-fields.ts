/** metadata.managedFields: which manager owns which fields, in the format of Kubernetes' structured merge diff. */

import type { Json, JsonObject } from './go-json.js';
import { sortedMap } from './go-json.js';
import type { Random } from './random.js';

/** One manager, and a partial object with exactly the fields it owns. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Update' | 'Apply';
  readonly time: string;
  readonly subresource?: string;
  readonly owns: JsonObject;
}

/** Bytes of JSON with its placeholders rendered. */
export type Measure = (json: Json) => number;

/** The set of fields below a path: `f:` a field, `k:` an item of a keyed list, `.` the path itself. */
interface FieldTree {
  [element: string]: FieldTree;
}

/** Lists whose items are merged by these keys; all other lists are atomic. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  initContainers: ['name'],
  ownerReferences: ['uid'],
  podIPs: ['ip'],
  ports: ['containerPort', 'protocol'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
};

/** Lists that are sets of values. */
const SETS: readonly string[] = ['finalizers', 'podCIDRs'];

/** Structs that are always present: only their content is owned. */
const TOP_LEVEL: readonly string[] = ['metadata', 'spec', 'status'];

/** The deepest nesting of a field, f:spec.f:containers.k:.f:livenessProbe.f:httpGet.f:path, with a margin. */
const DEEPEST = 8;

/** `"":{},` */
const FIELD_BYTES = 6;
/** `"f:metadata":{"f:annotations":{".":{}}},` */
const EMPTY_ANNOTATIONS_BYTES = 41;

/**
 * The entries, brought as close to `bytes` as complete fields allow, and never more unless one empty entry is
 * more.
 */
export function managedFields(
  owners: readonly FieldOwner[],
  apiVersion: string,
  bytes: number,
  random: Random,
  measure: Measure,
): JsonObject[] {
  const trees = owners.map((owner) => fieldSet(owner.owns));
  const entries = owners.map((owner, k) => entryOf(owner, apiVersion, trees[k] as FieldTree));
  // Commas make the saving an estimate: hence more than one round.
  let excess = measure(entries) - bytes;
  for (let saved = 1; excess > 0 && saved > 0; excess = measure(entries) - bytes) {
    saved = pruneAll(trees, excess, measure);
  }
  while (entries.length > 1 && measure(entries) > bytes) entries.pop();
  grow(trees[0] as FieldTree, bytes - measure(entries), random);
  return entries;
}

function entryOf(owner: FieldOwner, apiVersion: string, tree: FieldTree): JsonObject {
  return {
    manager: owner.manager,
    operation: owner.operation,
    apiVersion,
    time: owner.time,
    fieldsType: 'FieldsV1',
    fieldsV1: tree,
    ...(owner.subresource === undefined ? {} : { subresource: owner.subresource }),
  };
}

function fieldSet(owns: JsonObject): FieldTree {
  const tree: FieldTree = {};
  for (const key of Object.keys(owns).sort()) {
    const value = owns[key] as Json;
    tree[`f:${key}`] = TOP_LEVEL.includes(key) ? fieldsBelow(value as JsonObject, {}) : fieldsOf(key, value);
  }
  return tree;
}

function fieldsOf(key: string, value: Json): FieldTree {
  if (Array.isArray(value)) return itemsOf(key, value);
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) return {};
  return fieldsBelow(value as JsonObject, { '.': {} });
}

function fieldsBelow(object: JsonObject, tree: FieldTree): FieldTree {
  for (const key of Object.keys(object).sort()) tree[`f:${key}`] = fieldsOf(key, object[key] as Json);
  return tree;
}

function itemsOf(key: string, items: readonly Json[]): FieldTree {
  if (SETS.includes(key)) {
    return { '.': {}, ...Object.fromEntries(items.map((item) => [`v:${JSON.stringify(item)}`, {}])) };
  }
  const keys = LIST_KEYS[key];
  const entries: [string, FieldTree][] = [];
  for (const item of items) {
    const fields = item as JsonObject;
    if (keys === undefined || !keys.every((name) => name in fields)) return {};
    const id = Object.fromEntries(keys.map((name) => [name, fields[name] as Json]));
    // An owner reference is atomic.
    entries.push([
      `k:${JSON.stringify(id)}`,
      key === 'ownerReferences' ? {} : fieldsBelow(fields, { '.': {} }),
    ]);
  }
  return { '.': {}, ...sortedMap(Object.fromEntries(entries)) };
}

/** Removes the deepest fields first. */
function pruneAll(trees: readonly FieldTree[], excess: number, measure: Measure): number {
  let saved = 0;
  for (let depth = DEEPEST; depth >= 0; depth--) {
    for (const tree of trees) saved += prune(tree, depth, excess - saved, measure);
  }
  return saved;
}

/** Removes fields at that depth, the last ones first, until `excess` bytes are saved; returns the bytes saved. */
function prune(tree: FieldTree, depth: number, excess: number, measure: Measure): number {
  let saved = 0;
  if (excess <= 0) return saved;
  for (const key of Object.keys(tree).reverse()) {
    if (saved >= excess) break;
    const child = tree[key] as FieldTree;
    if (depth > 0) {
      saved += prune(child, depth - 1, excess - saved, measure);
    } else {
      saved += measure({ [key]: child }) - 1;
      delete tree[key];
    }
  }
  return saved;
}

/** Adds owned annotations, as operators leave them behind. */
function grow(tree: FieldTree, bytes: number, random: Random): void {
  const metadata: FieldTree = tree['f:metadata'] ?? {};
  const known: FieldTree = metadata['f:annotations'] ?? {};
  const annotations: FieldTree = { '.': {}, ...known };
  let missing = bytes - (Object.keys(known).length > 0 ? 0 : EMPTY_ANNOTATIONS_BYTES);
  while (missing >= 20) {
    const key = `f:${random.word()}.example.com/${random.word()}-${random.hex(4)}`;
    const fitting = key.slice(0, missing - FIELD_BYTES).replace(/[^a-z0-9]$/, 'x');
    annotations[fitting] = {};
    missing -= fitting.length + FIELD_BYTES;
  }
  if (Object.keys(annotations).length <= Object.keys(known).length + 1) return;
  metadata['f:annotations'] = sortedMap(annotations);
  tree['f:metadata'] = sortedMap(metadata);
  const sorted = sortedMap(tree);
  for (const key of Object.keys(tree)) delete tree[key];
  Object.assign(tree, sorted);
}
