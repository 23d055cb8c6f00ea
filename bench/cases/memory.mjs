/**
 * What a cached object takes, by kind: after the sync, after every object was read once, and after every object has changed several
 * times, in random order. Resident memory, less that of the same process with nothing to mirror.
 *
 * The informer runs in a fresh process, the server in another. A result counts only if the cache has the server's count
 * and digest in the end, and nothing was listed again.
 */
import { startApiServer } from 'kubeflect/testing';
import { Driven, expectEqual, INFORMER } from '../driven.mjs';
import { readOptions } from '../options.mjs';
import { podsOf } from '../servers/embedded.mjs';

/** Of the pod of 8.2 KB with managedFields, which are dropped. */
const MOST_POD_BYTES = 3.5 * 1024;
/** Of fewer, what the process itself takes for its work is most of it. */
const MANY = 100_000;
const MOST_GROWTH = 1.3;

const KINDS = {
  pods: { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  nodes: { apiVersion: 'v1', kind: 'Node', plural: 'nodes' },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  services: { apiVersion: 'v1', kind: 'Service', plural: 'services' },
};

export const options = {
  objects: { type: 'string', default: '60000' },
  bytes: { type: 'string', default: '8200' },
  kinds: { type: 'string', default: 'pods' },
  changes: { type: 'string', default: '3' },
  'per-second': { type: 'string', default: '2000' },
  workers: { type: 'string' },
};

export async function run(values) {
  const results = new Map();
  for (const plural of values.kinds.split(',')) {
    const type = KINDS[plural];
    if (type === undefined)
      throw new Error(`there is no ${plural}; known are ${Object.keys(KINDS).join(', ')}`);
    results.set(plural, await measure(type, values));
  }
  return reportOf(results, values);
}

async function measure(type, values) {
  const objects = Number(values.objects);
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  const settings = { kubeConfig: server.kubeConfig, type, ...readOptions(values, ['workers']) };
  try {
    const nothing = await inProcess(settings, (informer) => informer.ask('memory', { resourceVersion: '0' }));
    const spec = podsOf({ objects, bytes: Number(values.bytes) });
    await server.populate(type.kind === 'Pod' ? spec : { kind: type.kind, count: objects });
    return await inProcess(settings, async (informer) => {
      const states = [['after the sync', await memoryOf(informer, server, type)]];
      await informer.ask('readAll');
      states.push(['after reading all', await memoryOf(informer, server, type)]);
      for (let change = 1; change <= Number(values.changes); change++) {
        await server.updateEach(type, { perSecond: Number(values['per-second']) });
        states.push([`after change ${change} of each`, await memoryOf(informer, server, type)]);
      }
      await expectEqual(informer, server, type);
      const { relists } = states.at(-1)[1];
      if (relists > 0) throw new Error(`the collection was listed ${relists} times again`);
      return { objects, nothing, states: Object.fromEntries(states) };
    });
  } finally {
    await server.close();
  }
}

async function inProcess(settings, use) {
  const informer = new Driven(INFORMER);
  try {
    await informer.ask('start', settings);
    return await use(informer);
  } finally {
    await informer.end();
  }
}

/** When it has applied everything that the server has. */
async function memoryOf(informer, server, type) {
  const { resourceVersion } = await server.digest(type);
  return informer.ask('memory', { resourceVersion });
}

function residentBytes({ objects, nothing }, { rss }) {
  return (rss - nothing.rss) / objects;
}

const MB = 2 ** 20;
const COLUMNS = [
  { name: '' },
  { name: 'bytes an object, resident', digits: 0 },
  { name: 'bytes an object, held', digits: 0 },
  { name: 'resident', unit: 'MB', digits: 0 },
  { name: 'JavaScript heap', unit: 'MB', digits: 0 },
  { name: 'to that after the sync', digits: 2 },
];

function reportOf(results, values) {
  return {
    tables: [...results].map(([plural, result]) => ({
      title: `${result.objects} ${plural}${plural === 'pods' ? ` of ${values.bytes} bytes` : ''}, embedded API server`,
      columns: COLUMNS,
      rows: Object.entries(result.states).map(([when, memory]) => [
        when,
        residentBytes(result, memory),
        memory.bytes / result.objects,
        memory.rss / MB,
        memory.heapUsed / MB,
        memory.rss / result.states['after the sync'].rss,
      ]),
    })),
    plots: [
      {
        kind: 'bar',
        title: 'Resident bytes an object after the sync',
        y: 'resident memory, bytes an object',
        points: [...results].map(([plural, result]) => [
          plural,
          residentBytes(result, result.states['after the sync']),
        ]),
      },
    ],
    notes: [
      'resident: of the process, less that of the same process with an empty collection; the caches had the count and the digest of the server',
      'held: cells, as the engine counts them; managedFields are dropped in the worker',
    ],
    verdicts: [...results].flatMap(([plural, result]) => verdictsOf(plural, result)),
    results: Object.fromEntries(results),
  };
}

function verdictsOf(plural, result) {
  const { states } = result;
  const synced = states['after the sync'];
  const growth = Object.values(states).at(-1).rss / synced.rss;
  const verdicts = [
    {
      text: `${plural}: ${growth.toFixed(2)}x of the memory after the sync (at most ${MOST_GROWTH}x)`,
      isMet: growth <= MOST_GROWTH,
    },
  ];
  if (plural === 'pods' && result.objects >= MANY) {
    const bytes = residentBytes(result, synced);
    verdicts.unshift({
      text: `pods: ${bytes.toFixed(0)} bytes resident each (below ${MOST_POD_BYTES})`,
      isMet: bytes < MOST_POD_BYTES,
    });
  }
  return verdicts;
}
