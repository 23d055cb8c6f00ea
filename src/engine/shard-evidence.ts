import type { StaticShard } from './informer-options.js';

/** Who leaves out the objects of other shards: a server that knows `shardSelector`, or the worker that receives them. */
export type ShardFiltering = 'server' | 'worker';

/** Of an informer with `shard`. */
export interface ShardStats extends StaticShard {
  /** As of the stream that last told: replicas of the API server may differ. Undefined before the first objects. */
  readonly filteredBy: ShardFiltering | undefined;
  /** Objects of other shards that the server sent, and that were dropped before they were decoded. */
  readonly dropped: number;
}

/**
 * As many objects of one stream, all of the shard, prove that the server filters: without, each would be of another with
 * a probability of at least a half.
 */
export const PROOF_OBJECTS = 64;

/**
 * Finds out whether the API server applies `shardSelector`: servers without the feature gate ignore it. Each stream is
 * judged by itself, because replicas of the API server may differ: by the selector that a list of a built-in kind
 * repeats, and by the objects that arrive.
 */
export class ShardEvidence {
  #filtering: ShardFiltering | undefined;
  #dropped = 0;

  /** As of the stream that last told; undefined before the first. */
  get filtering(): ShardFiltering | undefined {
    return this.#filtering;
  }

  /** Objects of other shards, which the server sent and the worker dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** `selector` is that of the request. */
  openStream(selector: string): ShardEvidenceOfStream {
    let kept = 0;
    let hasOthers = false;
    return {
      kept: (objects) => {
        kept += objects;
        if (kept >= PROOF_OBJECTS && !hasOthers) this.#filtering = 'server';
      },
      dropped: (objects) => {
        hasOthers = true;
        this.#dropped += objects;
        this.#filtering = 'worker';
      },
      listed: (echo) => {
        if (echo === selector && !hasOthers) this.#filtering = 'server';
      },
    };
  }
}

export interface ShardEvidenceOfStream {
  kept(objects: number): void;
  dropped(objects: number): void;
  /** The list's metadata have arrived, with the selector that the server repeats, if it does. */
  listed(echo: string | undefined): void;
}
