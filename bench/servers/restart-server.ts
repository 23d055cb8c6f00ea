/** The server of the case `restart`: its pods change, and what it sends is counted. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApiServer } from 'kubeflect/testing';
import type { Digest, Task } from '../contenders/task.js';
import type { Contender } from '../runner/contenders.js';
import { runContender } from '../runner/rounds.js';
import { create, listedDigest, listedKeys, patch } from './api-requests.js';
import { startCountingProxy } from './counting-proxy.js';
import { POD, podsOf } from './embedded.js';
import { startRealServer } from './real.js';
import type { Population } from './server.js';

export interface RestartServer {
  readonly kubeConfig: string;
  readonly description: string;
  digest(): Promise<Digest>;
  /** Changes one pod, which is created first if necessary. */
  change(): Promise<void>;
  /** Changes one pod after the other, until the returned function is called. */
  churn(perSecond: number): () => Promise<void>;
  /** Of clients, so far. */
  requests(): Promise<number>;
  /** So far, in bytes. */
  sent(): Promise<number>;
  /** Of the server's process so far. */
  cpuMs(): number;
  close(): Promise<void>;
}

/** The unit of process times in Linux's /proc. */
const TICK_MS = 10;
const NAMESPACE = 'default';
const NAME = 'changing';
const SPEC = { containers: [{ name: 'main', image: 'example.com/app:1' }] };
const MAX_IN_FLIGHT = 64;
const CHANGE_MS = 500;

export function startRestartServer(
  server: 'embedded' | 'real',
  population: Population,
): Promise<RestartServer> {
  return server === 'real' ? realRestartServer(population) : embeddedRestartServer(population);
}

async function embeddedRestartServer({ objects, bytes }: Population): Promise<RestartServer> {
  const before = new Set(children());
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  const processId = children().find((id) => !before.has(id));
  await server.populate(podsOf({ objects, bytes }));
  const pod = { ...POD, name: NAME, namespace: NAMESPACE };
  let changes = 0;
  return {
    kubeConfig: server.kubeConfig,
    description: `${objects} pods of ${bytes} bytes, embedded API server, plain HTTP`,
    digest: () => server.digest(POD),
    async change() {
      if (changes++ === 0)
        await server.create({ ...POD, metadata: { name: NAME, namespace: NAMESPACE }, spec: SPEC });
      await server.patch(pod, { metadata: { labels: { change: String(changes) } } });
    },
    churn(perSecond) {
      // Resolves when it is stopped.
      const churn = server.updateEach(POD, { perSecond });
      return async () => {
        await server.stopChurn();
        await churn;
      };
    },
    requests: async () => ((await server.requests()).at(-1)?.id ?? -1) + 1,
    sent: async () => (await server.counters()).bytesWritten,
    cpuMs: () => cpuMsOf(processId),
    close: () => server.close(),
  };
}

/** Behind a proxy that counts: the server's own metrics leave out watches and TLS. */
async function realRestartServer(population: Population): Promise<RestartServer> {
  const { server, kubeConfig, newAgent } = await startRealServer(population);
  const address = kubeConfig.getCurrentCluster()?.server ?? '';
  const proxy = await startCountingProxy(Number(new URL(address).port));
  const agent = newAgent();
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
  let changes = 0;
  const annotate = (path: string): Promise<string> => {
    const change = { metadata: { annotations: { 'example.com/change': String(++changes) } } };
    return patch(kubeConfig, agent, path, change);
  };
  return {
    kubeConfig: server.kubeConfig.replaceAll(address, `https://127.0.0.1:${proxy.port}`),
    description: server.description,
    digest: () => listedDigest(kubeConfig),
    async change() {
      if (changes === 0)
        await create(kubeConfig, agent, pods, { ...POD, metadata: { name: NAME }, spec: SPEC });
      await annotate(`${pods}/${NAME}`);
    },
    churn(perSecond) {
      let isRunning = true;
      const run = async (): Promise<void> => {
        const keys = await listedKeys(kubeConfig);
        const inFlight = new Set<Promise<unknown>>();
        const startMs = performance.now();
        for (let begun = 0; isRunning; ) {
          const due = ((performance.now() - startMs) / 1000) * perSecond;
          while (begun < due && inFlight.size < MAX_IN_FLIGHT) {
            const [namespace, name] = (keys[(begun++ * 7919) % keys.length] ?? '').split('/');
            const touching: Promise<unknown> = annotate(
              `/api/v1/namespaces/${namespace}/pods/${name}`,
            ).finally(() => inFlight.delete(touching));
            inFlight.add(touching);
          }
          await (inFlight.size >= MAX_IN_FLIGHT ? Promise.race(inFlight) : sleep(1));
        }
        await Promise.all(inFlight);
      };
      const running = run();
      return async () => {
        isRunning = false;
        await running;
      };
    },
    requests: async () => Number.NaN,
    sent: async () => proxy.bytes,
    cpuMs: () => server.cpuMs(),
    async close() {
      agent.destroy();
      proxy.close();
      await server.close();
    },
  };
}

/** Runs a contender that leaves its caches when it ends, and sees events before that. */
export async function leaveSnapshots(server: RestartServer, contender: Contender, task: Task): Promise<void> {
  let isRunning = true;
  const ended = runContender(contender, task).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await server.change();
    await Promise.race([sleep(CHANGE_MS), ended]);
  }
  await ended;
}

function children(): number[] {
  const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** User and system time of a process and its threads. */
function cpuMsOf(processId: number | undefined): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
