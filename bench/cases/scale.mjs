/** Whether time and memory an object stay the same as the collection grows. */
import { contendersOf } from '../contenders.mjs';
import { readOptions } from '../options.mjs';
import { expectSame, runRounds } from '../rounds.mjs';
import { embeddedServer } from '../servers/embedded.mjs';
import { median, spread } from '../statistics.mjs';

const LEAST = 1000;
const FLAT = { from: 10_000, most: 1.15 };
const MOST_STALL_MS = 50;

export const options = {
  max: { type: 'string', default: '100000' },
  bytes: { type: 'string', default: '8200' },
  workers: { type: 'string' },
  'page-size': { type: 'string' },
};

export async function run(values) {
  const results = new Map();
  const contenders = await contendersOf([]);
  for (const objects of sizesUpTo(Number(values.max))) {
    const server = await embeddedServer({ objects, bytes: Number(values.bytes) });
    try {
      const expected = await server.expected();
      const { kubeConfig } = server;
      const found = await runRounds({
        contenders,
        task: { kubeConfig, objects, ...readOptions(values, ['workers', 'page-size']) },
        rounds: Number(values.rounds),
        warmUp: Number(values['warm-up']),
        check: (name, result) => expectSame(name, result, expected),
      });
      results.set(objects, found.get('kubeflect'));
    } finally {
      await server.close();
    }
  }
  return reportOf(results, values);
}

/** 1,000, 10,000, … and the last itself. */
function sizesUpTo(max) {
  const sizes = [];
  for (let size = LEAST; size < max; size *= 10) sizes.push(size);
  return [...sizes, max];
}

const FIELDS = [
  ['time', 'µs an object', 1, ({ syncedMs, count }) => (syncedMs * 1000) / count],
  ['synced', 's', 2, ({ syncedMs }) => syncedMs / 1000],
  ['bytes held', 'an object', 0, ({ heldMB, count }) => (heldMB * 2 ** 20) / count],
  ['peak memory', 'KB an object', 1, ({ peakResidentMB, count }) => (peakResidentMB * 1024) / count],
  ['final memory', 'MB', 0, ({ finalResidentMB }) => finalResidentMB],
  ['main thread', 'µs an object', 1, ({ cpuMainMs, count }) => ((cpuMainMs ?? Number.NaN) * 1000) / count],
  ['delay p99.9', 'ms', 1, (result) => result['delayP99.9Ms']],
  ['longest stall', 'ms', 1, ({ stallMs }) => stallMs],
];

function reportOf(results, { bytes }) {
  const line = (title, unit, of) => ({
    kind: 'line',
    title,
    x: 'objects',
    y: `${title.toLowerCase()}, ${unit}`,
    isLogarithmic: true,
    series: [
      { name: 'kubeflect', points: [...results].map(([objects, list]) => [objects, median(list.map(of))]) },
    ],
  });
  return {
    tables: [
      {
        title: `Pods of ${bytes} bytes, embedded API server`,
        columns: [{ name: 'objects' }, ...FIELDS.map(([name, unit, digits]) => ({ name, unit, digits }))],
        rows: [...results].map(([objects, list]) => [
          objects,
          ...FIELDS.map(([, , , of]) => spread(list.map(of))),
        ]),
      },
    ],
    plots: [
      line('Time an object', 'µs', FIELDS[0][3]),
      line('Bytes held an object', 'bytes', FIELDS[2][3]),
      line('Longest stall of the event loop', 'ms', FIELDS[7][3]),
    ],
    notes: [
      'every cache had the count and the digest of the server; memory of small collections is mostly that of Node itself',
    ],
    verdicts: verdictsOf(results),
    results: Object.fromEntries(results),
  };
}

function verdictsOf(results) {
  const time = (objects) => median(results.get(objects).map(FIELDS[0][3]));
  const last = [...results.keys()].at(-1);
  const stall = Math.max(...[...results.values()].map((list) => median(list.map(({ stallMs }) => stallMs))));
  const verdicts = [
    { text: `longest stall ${stall.toFixed(0)} ms (below ${MOST_STALL_MS})`, isMet: stall < MOST_STALL_MS },
  ];
  if (last > FLAT.from && results.has(FLAT.from)) {
    const ratio = time(last) / time(FLAT.from);
    verdicts.unshift({
      text: `time an object at ${last} is ${ratio.toFixed(2)}x that at ${FLAT.from} (at most ${FLAT.most}x)`,
      isMet: ratio <= FLAT.most,
    });
  }
  return verdicts;
}
