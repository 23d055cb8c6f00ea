/** A real API server as a target of the informer suites. */

import { readFileSync } from 'node:fs';
import { ApiClient } from '../../conformance/harness/client.js';
import { readConnection } from '../../conformance/harness/target.js';
import type { ControlPlane } from '../../controlplane/control-plane.js';
import { EtcdClient } from '../../controlplane/etcd-client.js';
import { fillPods } from './fill-pods.js';
import type { FailingTarget, InformerTarget } from './informer-target.js';

/** kube-apiserver's watch cache drops only events older than its bookmark period plus a quarter. */
const HISTORY = { events: 100, ageMs: 75_000 };
/** A minute plus a random part of up to half a minute. */
const BOOKMARK_MS = 90_000;

export async function openRealTarget(kubeConfigFile: string): Promise<InformerTarget> {
  const kubeConfig = readFileSync(kubeConfigFile, 'utf8');
  const api = new ApiClient(await readConnection(kubeConfig));
  return { kubeConfig, api, history: HISTORY, bookmarkMs: BOOKMARK_MS, close: async () => api.close() };
}

/** The caller closes the control plane. */
export async function openFailingTarget(controlPlane: ControlPlane): Promise<FailingTarget> {
  const target = await openRealTarget(controlPlane.kubeConfigs.admin);
  return {
    ...target,
    fillPods: async (count) => {
      using etcd = new EtcdClient(controlPlane.ports.etcd);
      await fillPods(target.api, etcd, count);
    },
    restart: async (how) => {
      await controlPlane.stopApiServer({ signal: how === 'crash' ? 'SIGKILL' : 'SIGTERM' });
      await controlPlane.startApiServer();
    },
  };
}
