import { ObjectPacker } from '../../src/wire/object-packer.js';
import type { DecodingOptions, StreamTask } from '../../src/wire/stream-task.js';
import { protocolFailure } from '../stream-failure.js';
import type { Decoder, PieceDecoder } from './decoder.js';
import { openPlan } from './decoding-plan.js';
import { Hooks, HooksModules } from './hooks.js';
import { JsonDecoder } from './json-decoder.js';
import { readProtobufIdentity } from './protobuf/document-identity.js';
import { ProtobufDecoder } from './protobuf/protobuf-decoder.js';
import { ProtobufReferenceDecoder } from './protobuf/protobuf-reference-decoder.js';
import { SchemaImages } from './protobuf/schemas.js';
import { QuarantiningDecoder } from './quarantine.js';
import type { IdentityReader } from './rejected-object.js';
import { type RenewableSource, SharedDefinitionTable } from './shared-definition-table.js';
import { SimdDecoder } from './simd-decoder.js';
import { Transcoder, TranscoderTable } from './transcoder.js';

/** How one stream is decoded. */
export interface StreamDecoding {
  readonly decoder: 'simd' | 'json';
  /** What the payloads refer to. */
  readonly source: RenewableSource;
  /** Loads the hooks; rejects with a `StreamFailure` if they cannot be. Once. */
  open(): Promise<Decoder>;
  /** The decoder of the same stream for an answer in protobuf; after `open`. */
  protobuf(): Decoder;
  /** Fields in protobuf that no schema knows, so far. */
  readonly unknownFields: number;
  /** Idempotent. */
  close(): void;
}

const NO_SIMD =
  'the simd decoder cannot do this here: it needs WebAssembly with SIMD, paths of plain names, no index of kind or apiVersion, and no hooks; with decoder "auto" the json decoder does it';

type DecodingTask = Pick<StreamTask, 'decoding' | 'limits' | 'quarantine'>;

/** Makes the decoders of a thread. The streams of one kind share a table of definitions, and do not learn anew. */
export class DecoderFactory {
  readonly #hooks = new HooksModules();
  readonly #packers = new Map<string, SharedDefinitionTable<ObjectPacker>>();
  readonly #tables = new Map<string, SharedDefinitionTable<TranscoderTable>>();
  readonly #createTranscoder: () => Transcoder | undefined;
  #schemas: SchemaImages | undefined;
  #transcoder: { readonly instance: Transcoder | undefined } | undefined;

  /** `createTranscoder` is called when it is first needed. */
  constructor(createTranscoder: () => Transcoder | undefined = () => Transcoder.create()) {
    this.#createTranscoder = createTranscoder;
  }

  /** `marker` is where to say what is being worked on; see src/wire/fingerprint.ts. */
  create(task: DecodingTask, marker: Int32Array | undefined): StreamDecoding {
    const simd = task.decoding.decoder === 'json' ? undefined : this.#simd(task, marker);
    if (simd !== undefined) return simd;
    const isRefused = task.decoding.decoder === 'simd';
    const { decoding } = task;
    const id = `${decoding.apiVersion} ${decoding.kind}`;
    const packers = this.#packers.get(id) ?? new SharedDefinitionTable({ create: () => new ObjectPacker() });
    this.#packers.set(id, packers);
    const source = packers.open();
    const packer = { pack: (object: unknown): Uint8Array => source.table.pack(object) };
    let hooks: Hooks | undefined;
    let reference: ProtobufReferenceDecoder | undefined;
    const depth = task.limits.depth;
    return {
      decoder: 'json',
      source,
      open: async () => {
        if (isRefused) throw protocolFailure(NO_SIMD);
        hooks = await this.#hooksOf(decoding);
        return marking(new JsonDecoder({ decoding, depth, packer, hooks }), task, marker);
      },
      protobuf: () => {
        reference = new ProtobufReferenceDecoder({ decoding, depth, packer, hooks });
        return marking(reference, task, marker, readProtobufIdentity);
      },
      get unknownFields() {
        return reference?.unknownFields ?? 0;
      },
      close: () => source.close(),
    };
  }

  /** Undefined if the module cannot do all that is asked for: hooks are given objects. */
  #simd(task: DecodingTask, marker: Int32Array | undefined): StreamDecoding | undefined {
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
    const source = tables.open();
    // Its payloads stand among those of the module, and are read by the same table.
    const packer = new ObjectPacker({ tables: false });
    const reference = marking(new JsonDecoder({ decoding, depth: limits.depth, packer }), task, marker);
    const decoder = new SimdDecoder({ transcoder, source, plan, decoding, reference });
    let counted: readonly { readonly unknownFields: number }[] = [];
    return {
      decoder: 'simd',
      source,
      open: async () => decoder,
      protobuf: () => {
        const slow = new ProtobufReferenceDecoder({ decoding, depth: limits.depth, packer });
        const fast = new ProtobufDecoder({
          transcoder,
          source,
          plan,
          decoding,
          schemas: this.#schemasOf(transcoder),
          reference: marking(slow, task, marker, readProtobufIdentity),
        });
        counted = [slow, fast];
        return fast;
      },
      get unknownFields() {
        return counted.reduce((sum, { unknownFields }) => sum + unknownFields, 0);
      },
      close: () => {
        decoder.close();
        source.close();
      },
    };
  }

  async #hooksOf({ hooks, hookIndexes }: DecodingOptions): Promise<Hooks | undefined> {
    return hooks === undefined ? undefined : new Hooks(await this.#hooks.load(hooks), hookIndexes);
  }

  #schemasOf(transcoder: Transcoder): SchemaImages {
    this.#schemas ??= new SchemaImages(transcoder);
    return this.#schemas;
  }
}

export function isPieceDecoder(decoder: Decoder): decoder is PieceDecoder {
  return 'takeItems' in decoder;
}

function marking(
  decoder: Decoder,
  { quarantine }: DecodingTask,
  marker: Int32Array | undefined,
  readJsonIdentity?: IdentityReader,
): Decoder {
  return marker === undefined
    ? decoder
    : new QuarantiningDecoder(decoder, marker, quarantine ?? [], readJsonIdentity);
}
