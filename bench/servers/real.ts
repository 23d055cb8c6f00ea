/** The kube-apiserver and etcd of the end-to-end tests, filled with generated pods. */
import { readFileSync } from 'node:fs';
import { Agent, type AgentOptions } from 'node:https';
import { KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { startControlPlane } from '../../test/controlplane/control-plane.js';
import { create, listedDigest } from './api-requests.js';
import { podsOf } from './embedded.js';
import type { BenchServer, Population } from './server.js';

const CONNECTIONS = 16;
/** The unit of process times in Linux's /proc. */
const TICK_MS = 10;

export async function realServer(population: Population): Promise<BenchServer> {
  const { server } = await startRealServer(population);
  return server;
}

export interface RealServer {
  readonly server: BenchServer;
  readonly kubeConfig: KubeConfig;
  /** For requests of the benchmark itself. */
  newAgent(): Agent;
}

export async function startRealServer({ objects, bytes }: Population): Promise<RealServer> {
  const plane = await startControlPlane({
    log: (line) => console.error(line),
    apiServerFlags: ['--max-mutating-requests-inflight=1000', '--max-requests-inflight=1000'],
  });
  try {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(plane.kubeConfigs.admin);
    const newAgent = (): Agent =>
      new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...certificatesOf(kubeConfig) });
    await fill(kubeConfig, newAgent(), { objects, bytes });
    const listed = await listedDigest(kubeConfig);
    const server: BenchServer = {
      kubeConfig: readFileSync(plane.kubeConfigs.admin, 'utf8'),
      objects,
      description: `${objects} pods of about ${bytes} bytes, kube-apiserver of test/controlplane, TLS`,
      expected: async () => listed,
      cpuMs: () => cpuMsOf(plane.processIds.apiServer),
      close: () => plane.stop(),
    };
    return { server, kubeConfig, newAgent };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function fill(kubeConfig: KubeConfig, agent: Agent, population: Population): Promise<void> {
  const startMs = performance.now();
  const set = new RenderedSet(resolvePopulateSpec({ ...podsOf(population), seed: 1 }), 1);
  const indexes = Array.from({ length: set.count }, (_, index) => index);
  const namespaces = new Set(indexes.map((index) => set.headerAt(index).namespace));
  await inParallel([...namespaces], (name) =>
    create(kubeConfig, agent, '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    }),
  );
  await inParallel(indexes, (index) => {
    const pod = writable(JSON.parse(set.objectBytes(index, 1, 0).toString()) as V1Pod);
    return create(kubeConfig, agent, `/api/v1/namespaces/${pod.metadata?.namespace}/pods`, pod);
  });
  agent.destroy();
  console.error(`${set.count} pods created in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
}

/**
 * Without what the server sets or rejects. The status, which cannot be created, becomes an annotation of equal size.
 */
function writable({ metadata, spec, status }: V1Pod): V1Pod {
  const { name = '', namespace = '', labels = {}, annotations = {} } = metadata ?? {};
  const { priority, priorityClassName, ...writableSpec } = spec ?? { containers: [] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels,
      annotations: { ...annotations, 'example.com/status': JSON.stringify(status ?? {}) },
    },
    spec: writableSpec,
  };
}

function certificatesOf(kubeConfig: KubeConfig): Pick<AgentOptions, 'ca'> {
  const { caData, caFile } = kubeConfig.getCurrentCluster() ?? {};
  if (caData) return { ca: Buffer.from(caData, 'base64') };
  return caFile ? { ca: readFileSync(caFile) } : {};
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** User and system time of a process and its threads. */
function cpuMsOf(processId: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
