import { isUidInRanges } from '../../src/kube/sharding/hash-range.js';
import { parseShardSelector, ShardSelectorError } from '../../src/kube/sharding/parse-shard-selector.js';
import { formatShardSelector, type ShardSelector } from '../../src/kube/sharding/shard-selector.js';
import type { ResolvedServerOptions } from '../control/server-options.js';
import { StatusError } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';

/** `metadata.shardInfo` of a list: the selector, in its canonical form. */
export interface ShardInfo {
  readonly selector: string;
}

/** The objects of the shards that a list or watch asks for. */
export class ShardSelection {
  readonly info: ShardInfo;
  readonly #selector: ShardSelector;

  constructor(selector: ShardSelector) {
    this.#selector = selector;
    this.info = { selector: formatShardSelector(selector) };
  }

  matches({ key, uid }: StoredObject): boolean {
    const { field, ranges } = this.#selector;
    const namespace = (): string => key.slice(0, Math.max(0, key.lastIndexOf('/')));
    return isUidInRanges(field === 'object.metadata.uid' ? uid : namespace(), ranges);
  }
}

/** Undefined without a selector, and while the feature gate is off. An invalid selector is an internal error. */
export function shardSelectionOf(
  server: { readonly options: ResolvedServerOptions },
  { shardSelector }: { readonly shardSelector: string },
): ShardSelection | undefined {
  if (shardSelector === '' || !server.options.shardedListAndWatch) return undefined;
  try {
    return new ShardSelection(parseShardSelector(shardSelector));
  } catch (error) {
    if (!(error instanceof ShardSelectorError)) throw error;
    throw new StatusError(500, undefined, `invalid shard selector: ${error.message}`);
  }
}
