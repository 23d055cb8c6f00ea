import { ObjectPacker } from '../../src/wire/object-packer.js';
import type { DecodingOptions, StreamTask } from '../../src/wire/stream-task.js';
import { protocolFailure } from '../stream-failure.js';
import type { Decoder } from './decoder.js';
import { openPlan } from './decoding-plan.js';
import { Hooks, HooksModules } from './hooks.js';
import { JsonDecoder } from './json-decoder.js';
import { readProtobufIdentity } from './protobuf/document-identity.js';
import { ProtobufDecoder } from './protobuf/protobuf-decoder.js';
import { ProtobufReferenceDecoder } from './protobuf/protobuf-reference-decoder.js';
import { SchemaImages } from './protobuf/schema-image.js';
import { UnknownFields } from './protobuf/unknown-fields.js';
import { QuarantiningDecoder } from './quarantine.js';
import type { IdentityReader } from './rejected-object.js';
import { type ShardFilter, shardFilterOf } from './shard-filter.js';
import { type RenewableSource, SharedDefinitionTable, type TableLease } from './shared-definition-table.js';
import { SimdDecoder } from './simd-decoder.js';
import { type PlanAddress, Transcoder, TranscoderTable } from './transcoder.js';

/** The decoders of one stream. */
export interface StreamDecoding {
  readonly decoder: 'simd' | 'json';
  /** The definitions that the payloads refer to. */
  readonly source: RenewableSource;
  /** Loads the hooks; rejects with a `StreamFailure` if that fails. To be called once. */
  open(): Promise<Decoder>;
  /** The decoder of the same stream for a response in protobuf; after `open`. */
  protobuf(): Decoder;
  /** Undefined if the stream has objects of all shards. */
  readonly filter: ShardFilter | undefined;
  /** Of protobuf. */
  readonly unknownFields: UnknownFields;
  /** Idempotent. */
  close(): void;
}

const NO_SIMD =
  'the simd decoder is not supported here: it needs WebAssembly with SIMD, paths of plain names, no index on kind or ' +
  'apiVersion, and no hooks; decoder "auto" falls back to the json decoder';

type DecodingTask = Pick<StreamTask, 'decoding' | 'limits' | 'quarantine' | 'onUnknownField'>;

/**
 * Creates the decoders of a thread. The streams of one kind share a table of definitions, so that each is learned once.
 */
export class DecoderFactory {
  readonly #hooks = new HooksModules();
  readonly #packers = new Map<string, SharedDefinitionTable<ObjectPacker>>();
  readonly #tables = new Map<string, SharedDefinitionTable<TranscoderTable>>();
  readonly #createTranscoder: () => Transcoder | undefined;
  #schemas: SchemaImages | undefined;
  #transcoder: { readonly instance: Transcoder | undefined } | undefined;

  /** `createTranscoder` is called when a transcoder is first needed. */
  constructor(createTranscoder: () => Transcoder | undefined = () => Transcoder.create()) {
    this.#createTranscoder = createTranscoder;
  }

  /** The fingerprint of the document being decoded is written to `marker`; see src/wire/fingerprint.ts. */
  create(task: DecodingTask, marker: Int32Array | undefined): StreamDecoding {
    const { decoding } = task;
    const simd = decoding.decoder === 'json' ? undefined : this.#createSimd(task, marker);
    if (simd !== undefined) return simd;
    const id = `${decoding.apiVersion} ${decoding.kind}`;
    const packers = this.#packers.get(id) ?? new SharedDefinitionTable({ create: () => new ObjectPacker() });
    this.#packers.set(id, packers);
    return new JsonStreamDecoding(task, marker, packers.open(), this.#hooks);
  }

  /** Undefined if the module does not support all that is asked for, as hooks, which need objects. */
  #createSimd(task: DecodingTask, marker: Int32Array | undefined): StreamDecoding | undefined {
    const { decoding, limits } = task;
    if (decoding.hooks !== undefined) return undefined;
    this.#transcoder ??= { instance: this.#createTranscoder() };
    const transcoder = this.#transcoder.instance;
    if (transcoder === undefined || transcoder.isBroken) return undefined;
    const plan = openPlan(transcoder, decoding, limits.depth);
    if (plan === undefined) return undefined;
    const id = `${decoding.apiVersion} ${decoding.kind}`;
    const tables =
      this.#tables.get(id) ??
      new SharedDefinitionTable({
        create: () => new TranscoderTable(transcoder),
        free: (table) => table.free(),
      });
    this.#tables.set(id, tables);
    this.#schemas ??= new SchemaImages(transcoder);
    return new SimdStreamDecoding(task, marker, { transcoder, source: tables.open(), plan }, this.#schemas);
  }
}

/** Decodes with JavaScript. */
class JsonStreamDecoding implements StreamDecoding {
  readonly decoder = 'json';
  readonly source: TableLease<ObjectPacker>;
  readonly #task: DecodingTask;
  readonly #marker: Int32Array | undefined;
  readonly #modules: HooksModules;
  readonly #packer: { pack(object: unknown): Uint8Array };
  readonly unknownFields: UnknownFields;
  readonly filter: ShardFilter | undefined;
  #hooks: Hooks | undefined;

  constructor(
    task: DecodingTask,
    marker: Int32Array | undefined,
    source: TableLease<ObjectPacker>,
    modules: HooksModules,
  ) {
    this.#task = task;
    this.#marker = marker;
    this.#modules = modules;
    this.source = source;
    this.filter = shardFilterOf(task.decoding);
    this.unknownFields = new UnknownFields(task.onUnknownField);
    this.#packer = { pack: (object) => source.table.pack(object) };
  }

  async open(): Promise<Decoder> {
    const { decoding, limits } = this.#task;
    if (decoding.decoder === 'simd') throw protocolFailure(NO_SIMD);
    this.#hooks = await this.#loadHooks(decoding);
    const options = { decoding, depth: limits.depth, packer: this.#packer, hooks: this.#hooks };
    return quarantining(new JsonDecoder(options), this.#task, this.#marker);
  }

  protobuf(): Decoder {
    const { decoding, limits } = this.#task;
    const reference = new ProtobufReferenceDecoder({
      decoding,
      depth: limits.depth,
      packer: this.#packer,
      hooks: this.#hooks,
      unknownFields: this.unknownFields,
    });
    return quarantining(reference, this.#task, this.#marker, readProtobufIdentity);
  }

  close(): void {
    this.source.close();
  }

  async #loadHooks({ hooks, hookIndexes }: DecodingOptions): Promise<Hooks | undefined> {
    return hooks === undefined ? undefined : new Hooks(await this.#modules.load(hooks), hookIndexes);
  }
}

interface SimdResources {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  readonly plan: PlanAddress;
}

/** Decodes with the WebAssembly module, and with the reference decoders what the module abandons. */
class SimdStreamDecoding implements StreamDecoding {
  readonly decoder = 'simd';
  readonly source: TableLease<TranscoderTable>;
  readonly #task: DecodingTask;
  readonly #marker: Int32Array | undefined;
  readonly #resources: SimdResources;
  readonly #schemas: SchemaImages;
  /** Payloads of the reference decoders are mixed with those of the module, and read with the same table. */
  readonly #packer = new ObjectPacker({ tables: false });
  readonly #json: SimdDecoder;
  readonly unknownFields: UnknownFields;
  readonly filter: ShardFilter | undefined;

  constructor(
    task: DecodingTask,
    marker: Int32Array | undefined,
    resources: SimdResources,
    schemas: SchemaImages,
  ) {
    const { decoding, limits } = task;
    this.#task = task;
    this.#marker = marker;
    this.#resources = resources;
    this.#schemas = schemas;
    this.source = resources.source;
    this.filter = shardFilterOf(decoding);
    this.unknownFields = new UnknownFields(task.onUnknownField);
    const json = new JsonDecoder({ decoding, depth: limits.depth, packer: this.#packer });
    const reference = quarantining(json, task, marker);
    this.#json = new SimdDecoder({ ...resources, decoding, filter: this.filter, reference });
  }

  async open(): Promise<Decoder> {
    return this.#json;
  }

  protobuf(): Decoder {
    const { decoding, limits } = this.#task;
    const { unknownFields } = this;
    const reference = new ProtobufReferenceDecoder({
      decoding,
      depth: limits.depth,
      packer: this.#packer,
      unknownFields,
    });
    return new ProtobufDecoder({
      ...this.#resources,
      decoding,
      schemas: this.#schemas,
      unknownFields,
      filter: this.filter,
      reference: quarantining(reference, this.#task, this.#marker, readProtobufIdentity),
    });
  }

  close(): void {
    this.#json.close();
    this.source.close();
  }
}

function quarantining(
  decoder: Decoder,
  { quarantine }: DecodingTask,
  marker: Int32Array | undefined,
  readIdentity?: IdentityReader,
): Decoder {
  if (marker === undefined) return decoder;
  return new QuarantiningDecoder(decoder, marker, quarantine ?? [], readIdentity);
}
