/**
 * How fast documents become cells: the reference decoder, the SIMD decoder, and the protobuf decoder on the same
 * objects; and where the time of a list goes in a worker. All objects are read back and compared before anything is
 * timed.
 */
import { deepStrictEqual } from 'node:assert';
import { type Profiler, Session } from 'node:inspector/promises';
import type { PopulateSpec } from 'kubeflect/testing';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { BatchWriter, releaseBatch } from '#dist/src/wire/batch.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import type { StreamLimits, StreamTask } from '#dist/src/wire/stream-task.js';
import { type Decoded, type Decoder, isPieceDecoder } from '#dist/workers/decode/decoder.js';
import { DecoderFactory, type StreamDecoding } from '#dist/workers/decode/decoder-factory.js';
import { PieceSplitter } from '#dist/workers/split/piece-splitter.js';
import type { Report, Table } from '../report/report.js';
import { MICRO_OPTIONS, type MicroResult, type MicroTask, microTable, runMicro } from '../runner/micro.js';
import { type BenchCase, defineCase } from './case.js';

/** The JSON of one run, per kind: more than the caches of a processor. */
const RUN_BYTES = 8_000_000;
const CHUNK_BYTES = 64 * 1024;

/** A decoder uses the depth only. */
const LIMITS: StreamLimits = {
  objectBytes: 16 << 20,
  depth: 500,
  batchBytes: 256 << 10,
  connectMs: 10_000,
  listMs: 600_000,
  probeAfterMs: 15_000,
  probeMs: 10_000,
  watchStallMs: 180_000,
  gzipRatio: 200,
};

type Spec = Omit<PopulateSpec, 'count'>;

const POD: Spec = { kind: 'Pod', sizeBytes: 8200, managedFieldsShare: 0.26 };
const KINDS: readonly { readonly name: string; readonly spec: Spec; readonly indent?: number }[] = [
  { name: 'pods', spec: POD },
  { name: 'pods, indented', spec: POD, indent: 2 },
  { name: 'nodes', spec: { kind: 'Node' } },
  { name: 'config maps of 100 KB', spec: { kind: 'ConfigMap', sizeBytes: 100_000 } },
  { name: 'custom resources', spec: { kind: 'Widget', apiVersion: 'example.com/v1' } },
];

export const decode: BenchCase = defineCase(MICRO_OPTIONS, async ({ time, rounds }) => {
  const decoded: DecodedKind[] = [];
  for (const { name, spec, indent } of KINDS)
    decoded.push(await decodeKind(name, documentsOf(spec, indent), time));
  return reportOf(decoded, await profileList(documentsOf(POD), rounds));
});

interface DecodedKind {
  readonly name: string;
  /** Means of an object. */
  readonly jsonBytes: number;
  readonly payloadBytes: number;
  /** Undefined for a kind without a protobuf message. */
  readonly protobufBytes: number | undefined;
  readonly reference: MicroResult;
  readonly simd: MicroResult;
  readonly protobuf: MicroResult | undefined;
}

interface ListProfile {
  readonly microsPerPod: number;
  readonly megabytesPerSecond: number;
  /** The share of each step. */
  readonly steps: ReadonlyMap<string, number>;
}

function reportOf(decoded: readonly DecodedKind[], list: ListProfile): Report {
  const wasm = ['walk', 'strings', 'header'].reduce((sum, step) => sum + (list.steps.get(step) ?? 0), 0);
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return {
    tables: [
      summaryOf(decoded),
      ...decoded.map(({ name, reference, simd, protobuf }) =>
        microTable(`Decoding ${name}`, [reference, simd, ...(protobuf === undefined ? [] : [protobuf])]),
      ),
      {
        title: `A list of such pods, from socket chunks to batches: ${list.microsPerPod.toFixed(1)} µs per pod, ${list.megabytesPerSecond.toFixed(0)} MB/s`,
        columns: [
          { name: 'step' },
          { name: 'time', unit: 'µs per pod', digits: 2 },
          { name: 'share', unit: '%' },
        ],
        rows: [...list.steps]
          .sort(([, a], [, b]) => b - a)
          .map(([step, share]) => [step, share * list.microsPerPod, share * 100]),
      },
    ],
    plots: [
      {
        kind: 'bar',
        title: 'Decoding with SIMD',
        y: 'JSON, MB/s',
        points: decoded.map(({ name, simd }) => [name, simd.megabytesPerSecond]),
      },
    ],
    notes: [
      'every object of all decoders was read back and compared before anything was timed',
      `the list spends ${percent(wasm)} of its time in WebAssembly, and ${percent(1 - wasm)} in the JavaScript around it`,
    ],
    results: { decoded, list: { ...list, steps: Object.fromEntries(list.steps) } },
  };
}

function summaryOf(decoded: readonly DecodedKind[]): Table {
  return {
    title: 'Documents to cells, medians',
    columns: [
      { name: '' },
      { name: 'JSON', unit: 'bytes' },
      { name: 'payload', unit: 'bytes' },
      { name: 'reference', unit: 'µs', digits: 1 },
      { name: 'SIMD', unit: 'µs', digits: 1 },
      { name: 'SIMD', unit: 'MB/s' },
      { name: 'reference / SIMD', unit: 'x', digits: 1 },
      { name: 'protobuf', unit: 'bytes' },
      { name: 'protobuf', unit: 'µs', digits: 1 },
      { name: 'SIMD / protobuf', unit: 'x', digits: 2 },
    ],
    rows: decoded.map(({ name, jsonBytes, payloadBytes, protobufBytes, reference, simd, protobuf }) => [
      name,
      jsonBytes,
      payloadBytes,
      reference.medianMicros,
      simd.medianMicros,
      simd.megabytesPerSecond,
      reference.medianMicros / simd.medianMicros,
      protobufBytes,
      protobuf?.medianMicros,
      protobuf && simd.medianMicros / protobuf.medianMicros,
    ]),
  };
}

function documentsOf(spec: Spec, indent?: number): Buffer[] {
  const setOf = (count: number): RenderedSet =>
    new RenderedSet(resolvePopulateSpec({ ...spec, seed: 1, count }), 1);
  const count = Math.max(50, Math.round(RUN_BYTES / setOf(1).objectBytes(0, 1, 0).length));
  const set = setOf(count);
  return Array.from({ length: count }, (_, i) => {
    const bytes = set.objectBytes(i, i + 1, 0);
    return indent === undefined
      ? Buffer.from(bytes)
      : Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), null, indent));
  });
}

type TypedObject = Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };

function parse(document: Buffer): TypedObject {
  return JSON.parse(document.toString()) as TypedObject;
}

/** A decoder, and what reads its cells. */
interface Side {
  readonly stream: StreamDecoding;
  readonly decoder: Decoder;
  readonly reader: ObjectReader;
}

async function open(decoders: DecoderFactory, decoder: 'simd' | 'json', type: TypedObject): Promise<Side> {
  const decoding: StreamTask['decoding'] = {
    decoder,
    apiVersion: type.apiVersion,
    kind: type.kind,
    form: 'object',
    drop: ['metadata.managedFields'],
    indexPaths: ['spec.nodeName'],
    hookIndexes: [],
  };
  const stream = decoders.create({ decoding, limits: LIMITS }, undefined);
  if (stream.decoder !== decoder) throw new Error(`the decoder ${decoder} is not available`);
  return { stream, decoder: await stream.open(), reader: new ObjectReader(stream.source.tableId) };
}

async function decodeKind(name: string, documents: readonly Buffer[], time: number): Promise<DecodedKind> {
  const decoders = new DecoderFactory();
  const type = parse(documents[0] ?? Buffer.from('{}'));
  const reference = await open(decoders, 'json', type);
  const simd = await open(decoders, 'simd', type);
  let payloadBytes = 0;
  for (const document of documents) {
    const { object, bytes } = readBack(simd, document);
    deepStrictEqual(object, readBack(reference, document).object);
    payloadBytes += bytes;
  }
  expectNoneDelegated(simd.decoder);
  const messages = messagesOf(type, documents);
  const tasks = [taskOf('reference', reference.decoder, documents), taskOf('SIMD', simd.decoder, documents)];
  if (messages !== undefined)
    tasks.push(
      taskOf('protobuf', await openProtobuf(decoders, type, messages, reference, documents), messages),
    );
  const [referenceResult, simdResult, protobuf] = await runMicro(tasks, time);
  if (referenceResult === undefined || simdResult === undefined) throw new Error('a task has no result');
  return {
    name,
    jsonBytes: meanBytes(documents),
    payloadBytes: payloadBytes / documents.length,
    protobufBytes: messages && meanBytes(messages),
    reference: referenceResult,
    simd: simdResult,
    protobuf,
  };
}

function meanBytes(documents: readonly Buffer[]): number {
  return totalBytes(documents) / documents.length;
}

function totalBytes(documents: readonly Buffer[]): number {
  return documents.reduce((sum, { length }) => sum + length, 0);
}

function taskOf(name: string, decoder: Decoder, documents: readonly Buffer[]): MicroTask {
  return {
    name,
    items: documents.length,
    bytes: totalBytes(documents),
    run() {
      for (const document of documents) rowOf(decoder, document);
    },
  };
}

/** The objects in protobuf; undefined for a kind without a message. */
function messagesOf({ apiVersion, kind }: TypedObject, documents: readonly Buffer[]): Buffer[] | undefined {
  const message = protobufMessageOfKind(apiVersion, kind);
  if (message === undefined) return undefined;
  return documents.map((document) => encodeMessage(message, parse(document)));
}

/** The protobuf decoder, after its objects were compared with those of the reference. */
async function openProtobuf(
  decoders: DecoderFactory,
  type: TypedObject,
  messages: readonly Buffer[],
  reference: Side,
  documents: readonly Buffer[],
): Promise<Decoder> {
  const { stream, reader } = await open(decoders, 'simd', type);
  const decoder = stream.protobuf();
  decoder.beginList({ kind: `${type.kind}List`, apiVersion: type.apiVersion });
  for (const [i, message] of messages.entries()) {
    const { object } = readBack({ stream, decoder, reader }, message);
    deepStrictEqual(object, readBack(reference, documents[i] ?? Buffer.alloc(0)).object);
  }
  expectNoneDelegated(decoder);
  return decoder;
}

/** Documents that a fast decoder leaves to the reference decoder would distort the result. */
function expectNoneDelegated(decoder: Decoder): void {
  const delegated = 'delegated' in decoder ? decoder.delegated : undefined;
  if (delegated !== 0) throw new Error(`${delegated} documents were left to the reference decoder`);
}

/** Like a list: the SIMD decoder has the bytes in its own memory, and finds the end of the document by itself. */
function rowOf(decoder: Decoder, document: Buffer): Decoded {
  if (!isPieceDecoder(decoder)) return decoder.decodeItem(document);
  decoder.load([document]);
  const taken = decoder.takeItems(0, 0xffffffff, 0xffffffff);
  if (typeof taken === 'string') throw new Error(`the document is ${taken}`);
  return taken.run;
}

function readBack({ stream, decoder, reader }: Side, document: Buffer): { object: unknown; bytes: number } {
  const row = rowOf(decoder, document);
  if (!('cells' in row)) throw new Error(`a document was rejected: ${JSON.stringify(row)}`);
  reader.extend(reader.size, stream.source.definitions.slice(reader.size));
  const [start, end] = [row.cells.payloadStartAt(row.offset), row.cells.payloadEndAt(row.offset)];
  return { object: reader.read(row.cells.bytes, start, end), bytes: end - start };
}

/** Patterns of the functions of each step, by their file and name. */
const STEPS: readonly (readonly [step: string, pattern: RegExp])[] = [
  ['strings', /transcoder\/(strings|text|tokens\/write(Text|PlainText|Escaped))/],
  ['header', /transcoder\/(cell|plan|document)/],
  ['walk', /transcoder\//],
  ['batch', /wire\/(batch|cells)|zlib|crc32|allocUnsafe|copy|_copyActual|onRun|finish/],
  ['split', /split\/|simd\//],
  ['garbage collection', /garbage collector/],
];

/** The profiler's own work, which runs in this thread. */
const PROFILER = 'profiler';

/** A list of these documents, processed like in a worker: from the bytes of the socket to finished batches. */
async function profileList(documents: readonly Buffer[], rounds: number): Promise<ListProfile> {
  const body = Buffer.from(
    `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${documents.join()}]}`,
  );
  const chunks = Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, i) =>
    body.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
  const side = await open(new DecoderFactory(), 'simd', parse(documents[0] ?? Buffer.from('{}')));
  const run = (): void => splitAndDecode(side, chunks, documents.length);
  // Until everything is compiled.
  for (let i = 0; i < 5; i++) run();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
  const startMs = performance.now();
  for (let i = 0; i < rounds; i++) run();
  const microsPerPod = ((performance.now() - startMs) * 1000) / (rounds * documents.length);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return {
    microsPerPod,
    megabytesPerSecond: meanBytes(documents) / microsPerPod,
    steps: sharesOf(profile),
  };
}

function splitAndDecode({ stream, decoder }: Side, chunks: readonly Buffer[], expectedItems: number): void {
  if (!isPieceDecoder(decoder)) throw new Error('expected the SIMD decoder');
  const writer = new BatchWriter(stream.source, { scratch: new ScratchBuffers(448 * 1024) });
  let items = 0;
  const finish = (added: number): void => {
    items += added;
    if (writer.bytes >= 256 * 1024) releaseBatch({ buffer: writer.finish(1, 0) });
  };
  const splitter = new PieceSplitter(16 << 20, decoder, {
    onItems: (head) => decoder.beginList(head),
    onItem: (bytes) => {
      writer.add(decoder.decodeItem(bytes));
      finish(1);
    },
    onRun: (run) => {
      writer.addRun(run);
      finish(run.count);
    },
    onOversized: () => undefined,
  });
  for (const chunk of chunks) splitter.write(chunk, false);
  splitter.end();
  if (items !== expectedItems) throw new Error(`decoded ${items} items, expected ${expectedItems}`);
}

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const steps = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [id, stepOf(`${url} ${functionName}`)]),
  );
  const times = new Map<string, number>();
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const step = steps.get(id) ?? 'other';
    if (step === PROFILER) continue;
    const delta = timeDeltas[i] ?? 0;
    times.set(step, (times.get(step) ?? 0) + delta);
    total += delta;
  }
  return new Map([...times].map(([step, time]) => [step, time / total]));
}

function stepOf(location: string): string {
  if (location === ' dispatch') return PROFILER;
  return STEPS.find(([, pattern]) => pattern.test(location))?.[0] ?? 'other';
}
