/** How many changes a second reach a handler, and how long after the server wrote them. The cache must be right in the end. */
import { Driven, expectEqual, INFORMER } from '../driven.mjs';
import { readOptions } from '../options.mjs';
import { POD, podsOf } from '../servers/embedded.mjs';
import { median, quantile, spread } from '../statistics.mjs';

/** What the server of this case has. */
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', list: 'paged' };
const LEAST_SUSTAINED = 40_000;
const WARM_UP_SECONDS = 1;
const MOST_P99 = { rate: 5000, ms: 20 };

export const options = {
  objects: { type: 'string', default: '50000' },
  bytes: { type: 'string', default: '8200' },
  rates: { type: 'string', default: '1000,5000,20000,40000,60000' },
  seconds: { type: 'string', default: '5' },
  workers: { type: 'string' },
  encoding: { type: 'string', default: 'auto' },
};

export async function run(values) {
  const rates = values.rates.split(',').map(Number);
  const results = new Map(rates.map((rate) => [rate, []]));
  for (let round = -Number(values['warm-up']); round < Number(values.rounds); round++) {
    for (const rate of rates) {
      const result = await atRate(rate, values);
      if (round >= 0) results.get(rate).push(result);
    }
  }
  return reportOf(results, values);
}

async function atRate(rate, values) {
  const server = new Driven('servers/feeding.mjs');
  const informer = new Driven(INFORMER);
  try {
    const spec = podsOf({ objects: Number(values.objects), bytes: Number(values.bytes) });
    const { kubeConfig } = await server.ask('start', { spec });
    const type = { ...PODS, encoding: values.encoding };
    await informer.ask('start', { kubeConfig, type, ...readOptions(values, ['workers']) });
    await warmUp(server, informer, rate);
    const events = rate * Number(values.seconds);
    await informer.ask('measure', { events });
    const before = await server.ask('cpu');
    const written = await server.ask('write', { perSecond: rate, events });
    const measured = await informer.ask('measured', { resourceVersion: String(written.after), relists: 0 });
    const after = await server.ask('cpu');
    if (measured.relists > 0) throw new Error(`the collection was listed ${measured.relists} times again`);
    await expectEqual(informer, { digest: () => server.ask('digest', POD) });
    return { ...resultOf(written, measured), serverBusy: (after.cpuMs - before.cpuMs) / measured.syncedMs };
  } finally {
    await informer.end();
    await server.end();
  }
}

/** Code that has not run yet is slow, once in the life of a process. */
async function warmUp(server, informer, rate) {
  const { after } = await server.ask('write', { perSecond: rate, events: rate * WARM_UP_SECONDS });
  await informer.ask('measure', {});
  await informer.ask('measured', { resourceVersion: String(after), relists: 0 });
}

/** Changes of one object that were merged on the way have no latency of their own: they are counted. */
function resultOf({ before, times }, { events, cpuMs, cpuMainMs = Number.NaN, syncedMs, stallMs }) {
  const { versions, times: handled } = events;
  const latencies = handled.map((time, i) => time - times[versions[i] - before - 1]);
  const seconds = (handled.at(-1) - times[0]) / 1000;
  return {
    writtenPerSecond: times.length / ((times.at(-1) - times[0]) / 1000),
    handledPerSecond: handled.length / seconds,
    handledShare: handled.length / times.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    mostMs: quantile(latencies, 1),
    stallMs,
    mainBusy: cpuMainMs / syncedMs,
    othersBusy: (cpuMs - cpuMainMs) / syncedMs,
  };
}

const FIELDS = [
  ['written', 'writtenPerSecond', 'events/s', 0],
  ['into handlers', 'handledPerSecond', 'events/s', 0],
  ['not merged', 'handledShare', 'of 1', 3],
  ['latency p50', 'p50Ms', 'ms', 1],
  ['p99', 'p99Ms', 'ms', 1],
  ['p99.9', 'p999Ms', 'ms', 1],
  ['most', 'mostMs', 'ms', 1],
  ['longest stall', 'stallMs', 'ms', 1],
  ['main thread', 'mainBusy', 'cores', 2],
  ['workers', 'othersBusy', 'cores', 2],
  ['server', 'serverBusy', 'cores', 2],
];

function reportOf(results, { objects, bytes, seconds, encoding }) {
  return {
    tables: [
      {
        title: `Updates of ${objects} pods of ${bytes} bytes for ${seconds} s, ${encoding === 'json' ? 'JSON' : 'protobuf'}, from a server that does nothing else`,
        columns: [
          { name: 'asked for', unit: 'events/s' },
          ...FIELDS.map(([name, , unit, digits]) => ({ name, unit, digits })),
        ],
        rows: [...results].map(([rate, list]) => [
          rate,
          ...FIELDS.map(([, field]) => spread(list.map((result) => result[field]))),
        ]),
      },
    ],
    plots: [
      {
        kind: 'line',
        title: 'Latency from the write of the server to the handler',
        x: 'updates of the server, events/s',
        y: 'latency, ms',
        series: ['p50Ms', 'p99Ms', 'p999Ms'].map((field) => ({
          name: FIELDS.find(([, known]) => known === field)[0],
          points: [...results].map(([rate, list]) => [rate, of(list, field)]),
        })),
      },
    ],
    notes: [
      'a thread that uses nearly one core is the limit: of the server it says nothing about the informer; on fewer cores than three the threads share them',
      'written: what the server reached; the cache had its count and digest in the end, without listing again',
    ],
    verdicts: verdictsOf(results),
    results: Object.fromEntries(results),
  };
}

function verdictsOf(results) {
  const verdicts = [];
  const most = Math.max(...[...results.values()].map((list) => of(list, 'handledPerSecond')));
  if (Math.max(...results.keys()) >= LEAST_SUSTAINED)
    verdicts.push({
      text: `${most.toFixed(0)} events/s into handlers (at least ${LEAST_SUSTAINED})`,
      isMet: most >= LEAST_SUSTAINED,
    });
  const list = results.get(MOST_P99.rate);
  if (list !== undefined)
    verdicts.push({
      text: `p99 ${of(list, 'p99Ms').toFixed(1)} ms at ${MOST_P99.rate} events/s (below ${MOST_P99.ms})`,
      isMet: of(list, 'p99Ms') < MOST_P99.ms,
    });
  return verdicts;
}

function of(list, field) {
  return median(list.map((result) => result[field]));
}
