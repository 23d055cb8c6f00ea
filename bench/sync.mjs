/**
 * Time to synced, longest stall of the main thread and memory of an informer on a large collection, side by side.
 *
 * Every contender runs in fresh processes, in turns with the others, against one server process that serves rendered
 * objects. A round counts only if the cache has the server's count and digest.
 */
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startApiServer } from 'kubeflect/testing';
import { listBytes } from './list-bytes.mjs';

const CONTENDERS = {
  kubeflect: 'kubeflect.mjs',
  'client-node': 'client-node.mjs',
  socket: 'socket.mjs',
};

export async function sync(args) {
  const { values } = parseArgs({
    args,
    options: {
      objects: { type: 'string', default: '60000' },
      bytes: { type: 'string', default: '8200' },
      rounds: { type: 'string', default: '3' },
      peer: { type: 'string', multiple: true, default: [] },
      workers: { type: 'string' },
      'page-size': { type: 'string' },
      list: { type: 'string' },
      decoder: { type: 'string' },
    },
  });
  const peers = values.peer.flatMap((names) => names.split(','));
  for (const peer of peers) {
    if (!Object.hasOwn(CONTENDERS, peer))
      throw new Error(`there is no contender ${peer}; known are ${Object.keys(CONTENDERS).join(', ')}`);
  }
  const objects = Number(values.objects);
  const rounds = Number(values.rounds);
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  try {
    // 60,000 larger ones are more than client-node can hold in one string.
    const shape = { sizeBytes: Number(values.bytes), managedFieldsShare: 0.26 };
    await server.populate({ kind: 'Pod', count: objects, ...shape });
    const { count, digest } = await server.digest({ apiVersion: 'v1', kind: 'Pod' });
    console.log(
      `node ${process.version}, ${cpus().length} cores, ${objects} pods of ${values.bytes} bytes, ${rounds} rounds`,
    );
    console.log(`npm run bench -- sync ${args.join(' ')}`);
    const bytes = peers.includes('socket') ? await listBytes(server) : undefined;
    const task = {
      kubeConfig: server.kubeConfig,
      url: server.url,
      objects,
      ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
      ...(values['page-size'] === undefined ? {} : { pageSize: Number(values['page-size']) }),
      ...(values.list === undefined ? {} : { list: values.list }),
      ...(values.decoder === undefined ? {} : { decoder: values.decoder }),
    };
    const results = new Map(['kubeflect', ...peers].map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, list] of results) {
        const result = await run(name, task);
        check(name, result, name === 'socket' ? { bytes } : { count, digest });
        list.push(result);
      }
    }
    print(results);
  } finally {
    await server.close();
  }
}

function check(name, result, expected) {
  for (const [field, value] of Object.entries(expected)) {
    if (result[field] !== value)
      throw new Error(`${name} has the ${field} ${result[field]}, the server ${value}`);
  }
}

function run(name, task) {
  const file = new URL(`contenders/${CONTENDERS[name]}`, import.meta.url).pathname;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(last));
      else reject(new Error(`${name} ended with ${code}`));
    });
  });
}

const COLUMNS = [
  ['synced', 'syncedMs', 's', 1000],
  ['longest stall', 'stallMs', 'ms', 1],
  ['delay p99', 'delayP99Ms', 'ms', 1],
  ['peak resident', 'peakResidentMB', 'MB', 1],
  ['final resident', 'finalResidentMB', 'MB', 1],
  ['CPU', 'cpuMs', 's', 1000],
];

function print(results) {
  for (const [name, list] of results) {
    const cells = COLUMNS.map(([title, field, unit, divisor]) => {
      const sorted = list.map((result) => result[field] / divisor).sort((a, b) => a - b);
      const digits = divisor === 1000 ? 2 : 0;
      const spread = `${sorted[0].toFixed(digits)}-${sorted.at(-1).toFixed(digits)}`;
      return `${title} ${median(sorted).toFixed(digits)} ${unit} (${spread})`;
    });
    console.log(`${name}: ${cells.join(', ')}`);
  }
  const ours = results.get('kubeflect');
  for (const [name, list] of results) {
    if (name === 'kubeflect') continue;
    const ratio = (field) =>
      (median(list.map((result) => result[field])) / median(ours.map((result) => result[field]))).toFixed(1);
    if (name === 'socket') {
      const times =
        median(ours.map(({ syncedMs }) => syncedMs)) / median(list.map(({ syncedMs }) => syncedMs));
      console.log(`kubeflect / socket: time ${times.toFixed(1)}x`);
      continue;
    }
    console.log(
      `${name} / kubeflect: time ${ratio('syncedMs')}x, stall ${ratio('stallMs')}x, peak memory ${ratio('peakResidentMB')}x`,
    );
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
