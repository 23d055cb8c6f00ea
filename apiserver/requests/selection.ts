import type { Resource } from '../resources/resource.js';
import { type FieldSelector, parseFieldSelector } from '../selectors/field-selector.js';
import { type LabelSelector, parseLabelSelector } from '../selectors/label-selector.js';
import { badRequest } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { ShardSelection } from './shard-selection.js';

/** Keys with start <= key < end. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

/** Above every key: names are ASCII. */
const AFTER_ALL = '\u{ffff}';

/** The objects that a list, watch or deletecollection selects. */
export class Selection {
  readonly range: KeyRange;
  /** There is no selector, so `remainingItemCount` is reported. */
  readonly isEverything: boolean;
  readonly #labels: LabelSelector;
  readonly #fields: FieldSelector;
  readonly #isPlain: boolean;
  readonly #shards: ShardSelection | undefined;

  constructor(
    resource: Resource,
    namespace: string | undefined,
    selectors: { labelSelector: string; fieldSelector: string },
    more: { readonly name?: string | undefined; readonly shards?: ShardSelection | undefined } = {},
  ) {
    this.#shards = more.shards;
    this.#labels = asBadRequest(() => parseLabelSelector(selectors.labelSelector));
    this.#fields = asBadRequest(() => parseFieldSelector(selectors.fieldSelector, resource));
    this.#isPlain = this.#labels.isEmpty && this.#fields.isEmpty && more.shards === undefined;
    this.isEverything = this.#isPlain;
    const pinned = resource.isNamespaced ? (namespace ?? this.#fields.requiredNamespace) : undefined;
    const canPin = pinned !== undefined || !resource.isNamespaced;
    this.range = keyRange(pinned, more.name ?? (canPin ? this.#fields.requiredName : undefined));
  }

  matches(object: StoredObject): boolean {
    const { key } = object;
    return key >= this.range.start && key < this.range.end && this.matchesContent(object);
  }

  /** For an object that was found by scanning the range. */
  matchesContent(object: StoredObject): boolean {
    if (this.#isPlain) return true;
    if (this.#shards?.matches(object) === false) return false;
    return this.#labels.matches(object.labels) && this.#fields.matches((path) => object.field(path));
  }
}

function asBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

/** The keys under a path: all, one namespace, or one object. `0` follows `/` in byte order. */
function keyRange(namespace: string | undefined, name?: string): KeyRange {
  if (name !== undefined) {
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    return { start: key, end: `${key}\0` };
  }
  if (namespace === undefined) return { start: '', end: AFTER_ALL };
  return { start: `${namespace}/`, end: `${namespace}0` };
}
