import type { TakenEvents } from './decoder.js';
import type { ShardFilter } from './shard-filter.js';
import type { TableLease } from './shared-definition-table.js';
import type { PlanAddress, SchemaAddress, Transcoder, TranscoderTable } from './transcoder.js';

interface EventRunsOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  readonly plan: PlanAddress;
  readonly filter?: ShardFilter | undefined;
}

/** The events of one read of the socket, decoded in runs by the module. */
export class EventRuns {
  readonly #options: EventRunsOptions;
  #pieceBytes = 0;

  constructor(options: EventRunsOptions) {
    this.#options = options;
  }

  load(parts: readonly Uint8Array[]): Buffer {
    const { transcoder, source } = this.#options;
    const piece = transcoder.load(source.table.address, parts);
    this.#pieceBytes = piece.length;
    return piece;
  }

  /** Of protobuf if there is a schema, of JSON otherwise. */
  take(schema: SchemaAddress | undefined, position: number, maxBytes: number): TakenEvents {
    const { transcoder, source, plan, filter } = this.#options;
    const { windowAddress } = transcoder;
    const run = transcoder.events(source.table.address, plan, schema, {
      from: windowAddress + position,
      end: windowAddress + this.#pieceBytes,
      maxBytes,
    });
    filter?.note(run.count, transcoder.foreign);
    return { run, end: run.end - windowAddress, next: run.next };
  }
}
