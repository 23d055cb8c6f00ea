/** The cluster of the current kubeconfig, which is only read. */
import { KubeConfig } from '@kubernetes/client-node';
import { listedDigest } from './api-requests.js';
import type { BenchServer } from './server.js';

export async function kubeConfigServer(): Promise<BenchServer> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const { count } = await listedDigest(kubeConfig);
  return {
    kubeConfig: kubeConfig.exportConfig(),
    objects: count,
    description: `${count} pods of the cluster of the current kubeconfig`,
    // Listed again for every result: other clients change this cluster.
    expected: () => listedDigest(kubeConfig),
    cpuMs: () => Number.NaN,
    close: async () => undefined,
  };
}
