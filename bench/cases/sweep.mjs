/** Page size × workers: which setting is synced first on this machine. */
import { contendersOf } from '../contenders.mjs';
import { expectSame, runRounds } from '../rounds.mjs';
import { startServer } from '../servers/server.mjs';
import { median, spread } from '../statistics.mjs';

export const options = {
  objects: { type: 'string', default: '100000' },
  bytes: { type: 'string', default: '8200' },
  server: { type: 'string', default: 'embedded' },
  workers: { type: 'string', default: '1,2,3,4' },
  'page-size': { type: 'string', default: '100,250,500,1000,2000,5000' },
  decoder: { type: 'string' },
  encoding: { type: 'string', default: 'json' },
};

/** Rounds that differ by less than this tell nothing about the setting. */
const NOISE = 0.05;

export async function run(values) {
  const [kubeflect] = await contendersOf([]);
  const [workers, pageSizes] = [values.workers, values['page-size']].map((text) =>
    text.split(',').map(Number),
  );
  const settings = workers.flatMap((count) => pageSizes.map((pageSize) => ({ workers: count, pageSize })));
  const server = await startServer(values.server, {
    objects: Number(values.objects),
    bytes: Number(values.bytes),
  });
  try {
    const expected = await server.expected();
    const results = await runRounds({
      contenders: settings.map((task) => ({ ...kubeflect, name: nameOf(task), task })),
      task: {
        kubeConfig: server.kubeConfig,
        objects: server.objects,
        // Pages are for JSON: protobuf is listed as a stream.
        list: 'paged',
        encoding: values.encoding,
        ...(values.decoder === undefined ? {} : { decoder: values.decoder }),
      },
      rounds: Number(values.rounds),
      warmUp: Number(values['warm-up']),
      check: (name, result) => expectSame(name, result, expected),
    });
    return reportOf(`${server.description}, ${values.encoding}`, settings, workers, pageSizes, results);
  } finally {
    await server.close();
  }
}

function nameOf({ workers, pageSize }) {
  return `${workers} ${workers === 1 ? 'worker' : 'workers'}, pages of ${pageSize}`;
}

function reportOf(description, settings, workers, pageSizes, results) {
  const listOf = (setting, of) => results.get(nameOf(setting)).map(of);
  const grid = (title, digits, of) => ({
    title: `${title}: workers down, page size across; ${description}`,
    columns: [{ name: 'workers' }, ...pageSizes.map((size) => ({ name: String(size), digits }))],
    rows: workers.map((count) => [
      count,
      ...pageSizes.map((pageSize) => spread(listOf({ workers: count, pageSize }, of))),
    ]),
  });
  const seconds = ({ syncedMs }) => syncedMs / 1000;
  const timeOf = (setting) => median(listOf(setting, seconds));
  const best = settings.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a));
  const asGood = settings.filter((setting) => timeOf(setting) <= timeOf(best) * (1 + NOISE));
  return {
    tables: [
      grid('Seconds to synced', 2, seconds),
      grid('MB of peak memory', 0, ({ peakResidentMB }) => peakResidentMB),
      grid('Seconds of CPU', 2, ({ cpuMs }) => cpuMs / 1000),
    ],
    plots: [
      {
        kind: 'heat',
        title: 'Time to synced, s',
        x: 'page size, objects',
        y: 'workers, threads',
        value: 's',
        cells: settings.map((setting) => [
          String(setting.pageSize),
          String(setting.workers),
          timeOf(setting),
        ]),
      },
    ],
    notes: [
      `best: ${nameOf(best)}, ${timeOf(best).toFixed(2)} s`,
      `within ${NOISE * 100} % of it: ${asGood.map(nameOf).join('; ')}`,
    ],
    results: Object.fromEntries(results),
  };
}
