/** Time to synced, stall, CPU and memory of an informer on a large collection, side by side. A round counts only if the cache is right. */
import { contendersOf } from '../contenders.mjs';
import { readOptions } from '../options.mjs';
import { expectSame, runRounds } from '../rounds.mjs';
import { startServer } from '../servers/server.mjs';
import { median, spread } from '../statistics.mjs';

export const options = {
  objects: { type: 'string', default: '60000' },
  bytes: { type: 'string', default: '8200' },
  server: { type: 'string', default: 'embedded' },
  peer: { type: 'string', multiple: true, default: [] },
  workers: { type: 'string' },
  'page-size': { type: 'string' },
  list: { type: 'string' },
  decoder: { type: 'string' },
  encoding: { type: 'string' },
};

export async function run(values) {
  const names = values.peer.flatMap((text) => text.split(','));
  const contenders = await contendersOf(names);
  const server = await startServer(values.server, {
    objects: Number(values.objects),
    bytes: Number(values.bytes),
  });
  try {
    const results = await measure(server, contenders, values);
    return {
      ...(values.server === 'embedded' ? {} : { section: `sync-${values.server}` }),
      tables: [
        { title: server.description, columns: COLUMNS, rows: rowsOf(results) },
        ratiosOf(results),
      ].filter(({ rows }) => rows.length > 0),
      plots: plotsOf(results),
      notes: [
        'median (least-most) of the rounds; every cache had the count and the digest of the server',
        'CPU main: the main thread; CPU others: workers, and the helper threads of V8 and libuv',
        ...besideReader(results),
      ],
      results: Object.fromEntries(results),
    };
  } finally {
    await server.close();
  }
}

async function measure(server, contenders, values) {
  const bytes = contenders.some(({ name }) => name === 'socket')
    ? await server.listBytes?.(values.encoding)
    : undefined;
  let expected = await server.expected();
  const { kubeConfig, objects } = server;
  return runRounds({
    contenders,
    task: {
      kubeConfig,
      objects,
      ...readOptions(values, ['workers', 'page-size', 'list', 'decoder', 'encoding']),
    },
    rounds: Number(values.rounds),
    warmUp: Number(values['warm-up']),
    async around(run) {
      const beganMs = server.cpuMs();
      const result = await run();
      expected = await server.expected();
      return { ...result, serverCpuMs: server.cpuMs() - beganMs };
    },
    check: (name, result) =>
      expectSame(name, result, name === 'socket' ? (bytes === undefined ? {} : { bytes }) : expected),
  });
}

const FIELDS = [
  ['synced', 'syncedMs', 's', 1000, 2],
  ['longest stall', 'stallMs', 'ms', 1, 0],
  ['delay p99', 'delayP99Ms', 'ms', 1, 1],
  ['peak memory', 'peakResidentMB', 'MB', 1, 0],
  ['final memory', 'finalResidentMB', 'MB', 1, 0],
  ['CPU', 'cpuMs', 's', 1000, 2],
  ['CPU main', 'cpuMainMs', 's', 1000, 2],
  ['CPU others', 'cpuOthersMs', 's', 1000, 2],
  ['CPU server', 'serverCpuMs', 's', 1000, 2],
];

const COLUMNS = [{ name: '' }, ...FIELDS.map(([name, , unit, , digits]) => ({ name, unit, digits }))];

function rowsOf(results) {
  return [...results].map(([name, list]) => [
    name,
    ...FIELDS.map(([, field, , divisor]) =>
      spread(list.map((result) => (result[field] ?? Number.NaN) / divisor)),
    ),
  ]);
}

function ratiosOf(results) {
  const ours = results.get('kubeflect');
  const ratio = (list, field) => of(list, field) / of(ours, field);
  return {
    title: 'Times as much as kubeflect',
    columns: [
      { name: '' },
      ...['time', 'longest stall', 'peak memory', 'CPU'].map((name) => ({ name, digits: 1 })),
    ],
    rows: [...results]
      .filter(([name]) => name !== 'kubeflect')
      .map(([name, list]) => [
        name,
        ...['syncedMs', 'stallMs', 'peakResidentMB', 'cpuMs'].map((field) => ratio(list, field)),
      ]),
  };
}

/** What the engine adds to the mere reading. */
function besideReader(results) {
  const reader = results.get('socket');
  if (reader === undefined) return [];
  const times = of(results.get('kubeflect'), 'syncedMs') / of(reader, 'syncedMs');
  return [`kubeflect took ${times.toFixed(2)} times as long as the bare reader of the same encoding`];
}

function plotsOf(results) {
  const bar = (title, field, unit, divisor) => ({
    kind: 'bar',
    title,
    y: `${title.toLowerCase()}, ${unit}`,
    // Those in Go and Rust have no event loop to stall.
    points: [...results]
      .map(([name, list]) => [name, of(list, field) / divisor])
      .filter(([, value]) => !Number.isNaN(value)),
  });
  return [
    bar('Time to synced', 'syncedMs', 's', 1000),
    bar('Peak memory', 'peakResidentMB', 'MB', 1),
    bar('Longest stall of the event loop', 'stallMs', 'ms', 1),
  ];
}

function of(list, field) {
  return median(list.map((result) => result[field] ?? Number.NaN));
}
