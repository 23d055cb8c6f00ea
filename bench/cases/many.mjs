/** Many informers in one engine: one for each namespace. */
import { fileURLToPath } from 'node:url';
import { startApiServer } from 'kubeflect/testing';
import { readOptions } from '../options.mjs';
import { expectSame, runRounds } from '../rounds.mjs';
import { POD, podsOf } from '../servers/embedded.mjs';
import { spread } from '../statistics.mjs';

export const options = {
  informers: { type: 'string', default: '500' },
  objects: { type: 'string', default: '50000' },
  bytes: { type: 'string', default: '8200' },
  workers: { type: 'string' },
};

const FIELDS = [
  ['all synced', 'syncedMs', 's', 1000, 2],
  ['longest stall', 'stallMs', 'ms', 1, 1],
  ['delay p99', 'delayP99Ms', 'ms', 1, 1],
  ['peak memory', 'peakResidentMB', 'MB', 1, 0],
  ['CPU', 'cpuMs', 's', 1000, 2],
  ['CPU main', 'cpuMainMs', 's', 1000, 2],
];

export async function run(values) {
  const [objects, informers] = [Number(values.objects), Number(values.informers)];
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  try {
    await server.populate(podsOf({ objects, bytes: Number(values.bytes), namespaces: informers }));
    const { count, digest } = await server.digest(POD);
    const file = fileURLToPath(new URL('../contenders/kubeflect-many.mjs', import.meta.url));
    const contender = { name: 'kubeflect', command: [process.execPath, file], task: {}, environment: {} };
    const results = await runRounds({
      contenders: [contender],
      task: {
        kubeConfig: server.kubeConfig,
        namespaces: await namespacesWithPods(server),
        ...readOptions(values, ['workers']),
      },
      rounds: Number(values.rounds),
      warmUp: Number(values['warm-up']),
      check: (name, result) => expectSame(name, result, { count, digest }),
    });
    const list = results.get('kubeflect');
    return {
      tables: [
        {
          title: `${informers} informers on ${objects} pods of ${values.bytes} bytes in all`,
          columns: FIELDS.map(([name, , unit, , digits]) => ({ name, unit, digits })),
          rows: [
            FIELDS.map(([, field, , divisor]) =>
              spread(list.map((result) => (result[field] ?? Number.NaN) / divisor)),
            ),
          ],
        },
      ],
      plots: [],
      notes: ['all caches together had the count and the digest of the server'],
      results: Object.fromEntries(results),
    };
  } finally {
    await server.close();
  }
}

async function namespacesWithPods(server) {
  const names = new Set();
  let next = '';
  do {
    const answer = await fetch(`${server.url}/api/v1/pods?limit=5000&continue=${next}`, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    });
    const { metadata, items } = await answer.json();
    for (const item of items) names.add(item.metadata.namespace);
    next = metadata.continue ?? '';
  } while (next !== '');
  return [...names];
}
