import { BatchReader, type ControlRow } from '#dist/src/wire/batch.js';
import type { ConnectionSettings } from '#dist/src/wire/connection-settings.js';
import type { FromWorker, ToWorker, WireError } from '#dist/src/wire/messages.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import type { DecodingOptions, StreamLimits, StreamTask } from '#dist/src/wire/stream-task.js';
import { StreamEnvironment, StreamSession } from '#dist/workers/stream-session.js';

export interface ObjectRow {
  readonly type: 'item' | 'added' | 'modified' | 'deleted';
  readonly key: string;
  readonly resourceVersion: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly indexValues: readonly (readonly string[] | undefined)[];
}

export type Row = ObjectRow | ControlRow;

export interface TaskSpec {
  readonly verb?: 'list' | 'watch';
  readonly path: string;
  readonly connection: ConnectionSettings | string;
  readonly decoding?: Partial<DecodingOptions>;
  readonly limits?: Partial<StreamLimits>;
  readonly credits?: number;
  readonly encodings?: StreamTask['encodings'];
  readonly onUnknownField?: StreamTask['onUnknownField'];
}

const LIMITS: StreamLimits = {
  objectBytes: 16 << 20,
  depth: 512,
  batchBytes: 256 << 10,
  connectMs: 5000,
  listMs: 20_000,
  probeAfterMs: 15_000,
  probeMs: 10_000,
  watchStallMs: 20_000,
  gzipRatio: 200,
};

export function taskOf(spec: TaskSpec): StreamTask {
  const { connection } = spec;
  return {
    epoch: 3,
    verb: spec.verb ?? 'list',
    path: spec.path,
    connection: typeof connection === 'string' ? { server: connection, headers: {} } : connection,
    decoding: {
      decoder: 'auto',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      form: 'object',
      drop: ['metadata.managedFields'],
      indexPaths: [],
      hookIndexes: [],
      ...spec.decoding,
    },
    limits: { ...LIMITS, ...spec.limits },
    credits: spec.credits ?? 4,
    ...(spec.encodings && { encodings: spec.encodings }),
    ...(spec.onUnknownField && { onUnknownField: spec.onUnknownField }),
  };
}

/** A session on this thread, and all messages that it posted. Each batch is acknowledged with a credit by default. */
export class StreamRun {
  readonly messages: FromWorker[] = [];
  readonly rows: Row[] = [];
  /** The tables of the batches, in order. */
  readonly tableIds: string[] = [];
  /** Total length of the cells. */
  cellBytes = 0;
  readonly session: StreamSession;
  /** Resolves when the session has ended. */
  readonly ended: Promise<void>;
  readonly #reader: BatchReader;
  readonly #grantsCredits: boolean;
  readonly #waiting = new Set<() => void>();
  #deliver: (message: ToWorker) => void = () => {};

  constructor(
    spec: TaskSpec,
    options: { readonly environment?: StreamEnvironment; readonly grantsCredits?: boolean } = {},
  ) {
    const task = taskOf(spec);
    this.#reader = new BatchReader({ epoch: task.epoch, readers: new ObjectReaders() });
    this.#grantsCredits = options.grantsCredits ?? true;
    this.session = new StreamSession(
      task,
      {
        post: (message, transfer) => this.#receive(structuredClone(message, { transfer: [...transfer] })),
        onMessage: (handler) => {
          this.#deliver = handler;
        },
        onClose: () => {},
      },
      options.environment ?? new StreamEnvironment(),
    );
    this.ended = this.session.run().finally(() => this.#wake());
  }

  get objects(): ObjectRow[] {
    return this.rows.filter((row): row is ObjectRow => 'object' in row);
  }

  get types(): string[] {
    return this.messages.map(({ type }) => type);
  }

  get end(): Extract<FromWorker, { type: 'end' }> | undefined {
    return this.messages.find((message) => message.type === 'end');
  }

  get error(): WireError | undefined {
    return this.messages.find((message) => message.type === 'failed')?.error;
  }

  send(message: ToWorker): void {
    this.#deliver(message);
  }

  /** Waits until the condition holds. */
  async until(condition: (run: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #receive(message: FromWorker): void {
    this.messages.push(message);
    if (message.type === 'batch') {
      this.#read(message.buffer);
      if (this.#grantsCredits) setImmediate(() => this.send({ type: 'credit', batches: 1 }));
    }
    this.#wake();
  }

  #read(buffer: ArrayBufferLike): void {
    const { rows, cells, reader } = this.#reader.read(buffer);
    this.tableIds.push(reader.tableId);
    for (const row of rows) if (typeof row === 'number') this.cellBytes += cells.byteLengthAt(row);
    for (const row of rows) {
      if (typeof row !== 'number') {
        this.rows.push(row);
        continue;
      }
      const offset = row;
      const type = cells.typeAt(offset) as ObjectRow['type'];
      const object = reader.read(cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset));
      this.rows.push({
        type,
        key: cells.keyAt(offset),
        resourceVersion: cells.resourceVersionAt(offset),
        object: object as ObjectRow['object'],
        indexValues: [0, 1].map((index) => cells.indexValuesAt(offset, index)),
      });
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Runs a stream to its end. */
export async function runStream(spec: TaskSpec, environment?: StreamEnvironment): Promise<StreamRun> {
  const run = new StreamRun(spec, environment === undefined ? {} : { environment });
  await run.ended;
  return run;
}
