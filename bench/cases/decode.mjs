/**
 * How fast documents become cells: the reference decoder, the SIMD decoder, and the walk over the same objects in protobuf, in turns; and where
 * the time of a list goes in a worker. Every object of all is read back and compared before anything is timed.
 */
import { deepStrictEqual } from 'node:assert';
import { Session } from 'node:inspector/promises';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { BatchWriter, releaseBatch } from '#dist/src/wire/batch.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { isPieceDecoder } from '#dist/workers/decode/decoder.js';
import { DecoderFactory } from '#dist/workers/decode/decoder-factory.js';
import { PieceSplitter } from '#dist/workers/split/piece-splitter.js';
import { median, spread } from '../statistics.mjs';

/** About this much JSON per kind and round. */
const ROUND_BYTES = 24_000_000;

const POD = { kind: 'Pod', sizeBytes: 8200, managedFieldsShare: 0.26 };
const CASES = [
  { name: 'pods', spec: POD },
  { name: 'pods, indented', spec: POD, indent: 2 },
  { name: 'nodes', spec: { kind: 'Node' } },
  { name: 'config maps of 100 KB', spec: { kind: 'ConfigMap', sizeBytes: 100_000 } },
  { name: 'custom resources', spec: { kind: 'Widget', apiVersion: 'example.com/v1' } },
];

export const options = {};

export async function run(values) {
  const rounds = Number(values.rounds);
  const decoded = [];
  for (const { name, spec, indent } of CASES)
    decoded.push({ name, ...(await compare(documentsOf(spec, indent), rounds)) });
  return reportOf(decoded, await profile(documentsOf(POD), rounds));
}

function reportOf(decoded, { micros, megabytes, steps }) {
  const inside = ['walk', 'strings', 'header'].reduce((sum, step) => sum + (steps.get(step) ?? 0), 0);
  return {
    tables: [
      {
        title: 'Documents to cells',
        columns: [
          { name: '' },
          { name: 'JSON', unit: 'bytes' },
          { name: 'payload', unit: 'bytes' },
          { name: 'reference', unit: 'µs', digits: 1 },
          { name: 'simd', unit: 'µs', digits: 1 },
          { name: 'simd', unit: 'MB/s' },
          { name: 'ratio', unit: 'x', digits: 1 },
          { name: 'protobuf', unit: 'bytes' },
          { name: 'protobuf', unit: 'µs', digits: 1 },
          { name: 'simd to protobuf', unit: 'x', digits: 2 },
        ],
        rows: decoded.map(({ name, bytes, payloadBytes, reference, simd, protobuf, protobufBytes }) => [
          name,
          bytes,
          payloadBytes,
          spread(reference),
          spread(simd),
          bytes / median(simd),
          median(reference) / median(simd),
          ...(protobuf.length === 0
            ? ['', '', '']
            : [protobufBytes, spread(protobuf), median(simd) / median(protobuf)]),
        ]),
      },
      {
        title: `A list of such pods, from chunks of a socket to batches: ${micros.toFixed(1)} µs a pod, ${megabytes.toFixed(0)} MB/s`,
        columns: [
          { name: 'step' },
          { name: 'time', unit: 'µs a pod', digits: 2 },
          { name: 'share', unit: '%' },
        ],
        rows: [...steps]
          .sort(([, a], [, b]) => b - a)
          .map(([step, share]) => [step, share * micros, share * 100]),
      },
    ],
    plots: [
      {
        kind: 'bar',
        title: 'Decoding with SIMD',
        y: 'JSON, MB/s',
        points: decoded.map(({ name, bytes, simd }) => [name, bytes / median(simd)]),
      },
    ],
    notes: [
      'every object of both decoders was read back and compared before anything was timed',
      `in the module ${(inside * 100).toFixed(0)} % of the time of the list, in the JavaScript around it ${((1 - inside) * 100).toFixed(0)} %`,
    ],
    results: { decoded, list: { micros, megabytes, steps: Object.fromEntries(steps) } },
  };
}

function documentsOf(spec, indent) {
  const first = new RenderedSet(resolvePopulateSpec({ ...spec, seed: 1, count: 1 }), 1).objectBytes(0, 1, 0);
  const count = Math.max(50, Math.round(ROUND_BYTES / first.length));
  const set = new RenderedSet(resolvePopulateSpec({ ...spec, seed: 1, count }), 1);
  return Array.from({ length: count }, (_, i) => {
    const bytes = set.objectBytes(i, i + 1, 0);
    return Buffer.from(
      indent === undefined ? bytes : JSON.stringify(JSON.parse(bytes.toString()), null, indent),
    );
  });
}

async function open(decoders, decoder, document) {
  const { apiVersion, kind } = JSON.parse(document.toString());
  const decoding = {
    decoder,
    apiVersion,
    kind,
    form: 'object',
    drop: ['metadata.managedFields'],
    indexPaths: ['spec.nodeName'],
    hookIndexes: [],
  };
  const stream = decoders.create({ decoding, limits: { depth: 500 } }, undefined);
  if (stream.decoder !== decoder) throw new Error(`there is no decoder ${decoder} here`);
  return { stream, decoder: await stream.open(), reader: new ObjectReader(stream.source.tableId) };
}

async function compare(documents, rounds) {
  const decoders = new DecoderFactory();
  const reference = await open(decoders, 'json', documents[0]);
  const simd = await open(decoders, 'simd', documents[0]);
  let payloadBytes = 0;
  for (const document of documents) {
    deepStrictEqual(objectOf(simd, document), objectOf(reference, document));
    payloadBytes += simd.payloadBytes;
  }
  if (simd.decoder.delegated > 0)
    throw new Error(`${simd.decoder.delegated} documents were left to the reference`);
  const protobuf = await openProtobuf(decoders, documents, reference);
  const times = { reference: [], simd: [], protobuf: [] };
  for (let round = 0; round < rounds; round++) {
    times.reference.push(timeOf(reference.decoder, documents));
    times.simd.push(timeOf(simd.decoder, documents));
    if (protobuf !== undefined) times.protobuf.push(timeOf(protobuf.decoder, protobuf.documents));
  }
  return {
    bytes: meanBytes(documents),
    payloadBytes: payloadBytes / documents.length,
    ...times,
    protobufBytes: protobuf === undefined ? Number.NaN : meanBytes(protobuf.documents),
  };
}

function meanBytes(documents) {
  return documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
}

/** The same objects in protobuf; undefined for a kind without. */
async function openProtobuf(decoders, documents, reference) {
  const { apiVersion, kind } = JSON.parse(documents[0].toString());
  const message = protobufMessageOfKind(apiVersion, kind);
  if (message === undefined) return undefined;
  const { stream, reader } = await open(decoders, 'simd', documents[0]);
  const decoder = stream.protobuf();
  decoder.beginList({ kind: `${kind}List`, apiVersion });
  const side = { stream, decoder, reader };
  const messages = documents.map((document) => encodeMessage(message, JSON.parse(document.toString())));
  for (const [i, document] of documents.entries()) {
    deepStrictEqual(objectOf(side, messages[i]), objectOf(reference, document));
  }
  if (decoder.delegated > 0) throw new Error(`${decoder.delegated} messages were left to the reference`);
  return { decoder, documents: messages };
}

/** As lists are decoded: the SIMD decoder has the bytes in its own memory, and finds the end by itself. */
function rowOf(decoder, document) {
  if (!isPieceDecoder(decoder)) return decoder.decodeItem(document);
  decoder.load([document]);
  return decoder.takeItems(0, 0xffffffff, 0xffffffff).run;
}

function objectOf(side, document) {
  const row = rowOf(side.decoder, document);
  if (row?.cells === undefined) throw new Error(`a document was refused: ${row?.message}`);
  const { definitions } = side.stream.source;
  side.reader.extend(side.reader.size, definitions.slice(side.reader.size));
  const [start, end] = [row.cells.payloadStartAt(row.offset), row.cells.payloadEndAt(row.offset)];
  side.payloadBytes = end - start;
  return side.reader.read(row.cells.bytes, start, end);
}

/** Microseconds a document. */
function timeOf(decoder, documents) {
  const began = performance.now();
  for (const document of documents) rowOf(decoder, document);
  return ((performance.now() - began) * 1000) / documents.length;
}

/** What belongs to which step, by the function that a sample was taken in. */
const STEPS = [
  ['strings', /transcoder\/(strings|text|tokens\/write(Text|PlainText|Escaped))/],
  ['header', /transcoder\/(cell|plan|document)/],
  ['walk', /transcoder\//],
  ['batch', /wire\/(batch|cells)|zlib|crc32|allocUnsafe|copy|_copyActual|onRun|finish/],
  ['split', /split\/|simd\//],
  ['collect garbage', /garbage collector/],
];

/** A list of these documents, as a worker does it from the bytes of the socket to the finished batches. */
async function profile(documents, rounds) {
  const chunks = chunksOf(
    Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${documents.join()}]}`),
  );
  const { stream, decoder } = await open(new DecoderFactory(), 'simd', documents[0]);
  const run = () => {
    const writer = new BatchWriter(stream.source, { scratch: new ScratchBuffers(448 * 1024) });
    let count = 0;
    const finish = (added) => {
      count += added;
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
    if (count !== documents.length) throw new Error(`${count} items of ${documents.length} came out`);
  };
  // Until the compilers are done.
  for (let i = 0; i < 5; i++) run();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
  const began = performance.now();
  for (let i = 0; i < rounds; i++) run();
  const micros = ((performance.now() - began) * 1000) / (rounds * documents.length);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { micros, megabytes: meanBytes(documents) / micros, steps: shares(profile) };
}

/** As large as what a socket gives at once. */
function chunksOf(body) {
  return Array.from({ length: Math.ceil(body.length / 65_536) }, (_, i) =>
    body.subarray(i * 65_536, (i + 1) * 65_536),
  );
}

function shares({ nodes, samples, timeDeltas }) {
  const steps = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [id, stepOf(`${url} ${functionName}`)]),
  );
  const times = new Map();
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const step = steps.get(id);
    if (step === PROFILER) continue;
    times.set(step, (times.get(step) ?? 0) + timeDeltas[i]);
    total += timeDeltas[i];
  }
  return new Map([...times].map(([step, time]) => [step, time / total]));
}

/** Its own work, which is asked for in this thread. */
const PROFILER = 'profiler';

function stepOf(text) {
  if (text === ' dispatch') return PROFILER;
  return STEPS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
