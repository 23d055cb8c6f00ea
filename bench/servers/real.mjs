/** The kube-apiserver and etcd of the end-to-end tests, filled with generated pods. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import { runnerImport } from 'vite';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { podsOf } from './embedded.mjs';
import { listedDigest, post } from './listed.mjs';

const CONNECTIONS = 16;
/** Linux counts the time of a process in these. */
const TICK_MS = 10;

export async function realServer({ objects, bytes }) {
  // Node 20 cannot load TypeScript; vite, which vitest brings, can.
  const path = fileURLToPath(new URL('../../test/controlplane/control-plane.ts', import.meta.url));
  const { module } = await runnerImport(path, { configFile: false, logLevel: 'error' });
  const plane = await module.startControlPlane({
    log: (line) => console.error(line),
    apiServerFlags: ['--max-mutating-requests-inflight=1000', '--max-requests-inflight=1000'],
  });
  try {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(plane.kubeConfigs.admin);
    await fill(kubeConfig, podsOf({ objects, bytes }));
    const listed = await listedDigest(kubeConfig);
    return {
      kubeConfig: readFileSync(plane.kubeConfigs.admin, 'utf8'),
      objects,
      description: `${objects} pods of about ${bytes} bytes, kube-apiserver of test/controlplane, TLS`,
      expected: async () => listed,
      cpuMs: () => cpuMsOf(plane.processIds.apiServer),
      close: () => plane.stop(),
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function fill(kubeConfig, spec) {
  const began = performance.now();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...certificatesOf(kubeConfig) });
  const set = new RenderedSet(resolvePopulateSpec({ ...spec, seed: 1 }), 1);
  const namespaces = new Set(Array.from({ length: set.count }, (_, i) => set.keyAt(i).split('/')[0]));
  const create = async (path, object) => {
    const { status, text } = await post(kubeConfig, agent, path, JSON.stringify(object));
    if (status !== 201) throw new Error(`the server answered ${status} to ${path}: ${text.slice(0, 300)}`);
  };
  await inParallel([...namespaces], (name) =>
    create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  );
  await inParallel(
    Array.from({ length: set.count }, (_, i) => i),
    (index) => {
      const pod = writable(JSON.parse(set.objectBytes(index, 1, 0).toString()));
      return create(`/api/v1/namespaces/${pod.metadata.namespace}/pods`, pod);
    },
  );
  agent.destroy();
  console.error(`${set.count} pods written in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

/** Without what the server fills in itself, or refuses; the length goes on into an annotation, as a status cannot be created. */
function writable(pod) {
  const { name, namespace, labels, annotations } = pod.metadata;
  const { priority, priorityClassName, ...spec } = pod.spec;
  const lost = JSON.stringify(pod.status ?? {});
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations: { ...annotations, 'example.com/status': lost } },
    spec,
  };
}

function certificatesOf(kubeConfig) {
  const { caData, caFile } = kubeConfig.getCurrentCluster() ?? {};
  if (caData) return { ca: Buffer.from(caData, 'base64') };
  return caFile ? { ca: readFileSync(caFile) } : {};
}

async function inParallel(items, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** User and system time of a process and its threads. */
function cpuMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
