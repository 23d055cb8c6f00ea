/**
 * The server the suite is pointed at: the one of the kubeconfig named by `KUBEFLECT_KUBECONFIG`, or else our embedded
 * server, started for the test file.
 */

import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { ApiClient, type Connection } from './client.js';

export interface Target {
  readonly api: ApiClient;
  close(): Promise<void>;
}

export async function openTarget(): Promise<Target> {
  const path = process.env['KUBEFLECT_KUBECONFIG'];
  if (path !== undefined && path !== '') {
    const api = new ApiClient(readConnection(readFileSync(path, 'utf8')));
    return { api, close: async () => api.close() };
  }
  const { startEmbedded } = await import('./embedded.js');
  const server = await startEmbedded();
  const api = new ApiClient(readConnection(server.kubeConfig));
  return {
    api,
    close: async () => {
      api.close();
      await server.close();
    },
  };
}

function readConnection(kubeConfigText: string): Connection {
  const config = new KubeConfig();
  config.loadFromString(kubeConfigText);
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null) {
    throw new Error(
      'the kubeconfig has no current cluster; set current-context to a context with a cluster and a user',
    );
  }
  const ca = material(cluster.caData, cluster.caFile);
  const cert = material(user?.certData, user?.certFile);
  const key = material(user?.keyData, user?.keyFile);
  return {
    url: new URL(cluster.server),
    headers: user?.token === undefined ? {} : { Authorization: `Bearer ${user.token}` },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(cluster.skipTLSVerify === true ? { rejectUnauthorized: false } : {}),
    },
  };
}

function material(base64: string | undefined, file: string | undefined): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return file === undefined ? undefined : readFileSync(file);
}
