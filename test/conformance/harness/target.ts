/**
 * The server the suite is pointed at: the one of the kubeconfig named by `KUBEFLECT_KUBECONFIG`, or else our embedded
 * server, started for the test file.
 */

import { readFileSync } from 'node:fs';
import { ApiClient, type Connection } from './client.js';

export interface Target {
  readonly api: ApiClient;
  close(): Promise<void>;
}

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
}

interface User {
  readonly token?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
}

interface KubeConfigFile {
  readonly 'current-context': string;
  readonly contexts: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters: readonly { name: string; cluster: Cluster }[];
  readonly users: readonly { name: string; user: User }[];
}

export async function openTarget(): Promise<Target> {
  const path = process.env['KUBEFLECT_KUBECONFIG'];
  if (path !== undefined && path !== '') return targetOf(readFileSync(path, 'utf8'));
  const { startEmbedded } = await import('./embedded.js');
  const server = await startEmbedded();
  return targetOf(server.kubeConfig, () => server.close());
}

/** The server of a kubeconfig. */
export async function targetOf(
  kubeConfig: string,
  close: () => Promise<void> = async () => {},
): Promise<Target> {
  const api = new ApiClient(await readConnection(kubeConfig));
  return {
    api,
    close: async () => {
      api.close();
      await close();
    },
  };
}

/** The current context of a kubeconfig. */
export async function readConnection(text: string): Promise<Connection> {
  return connection(await parse(text));
}

/** A kubeconfig is YAML and may be JSON; the YAML parser is loaded only when needed, as it costs half a second per file. */
async function parse(text: string): Promise<KubeConfigFile> {
  try {
    return JSON.parse(text) as KubeConfigFile;
  } catch {
    const { loadYaml } = await import('@kubernetes/client-node');
    return loadYaml<KubeConfigFile>(text);
  }
}

function connection(file: KubeConfigFile): Connection {
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = file.users.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined) {
    throw new Error(
      'the kubeconfig has no current cluster; set current-context to a context with a cluster and a user',
    );
  }
  const ca = material(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = material(user?.['client-certificate-data'], user?.['client-certificate']);
  const key = material(user?.['client-key-data'], user?.['client-key']);
  return {
    url: new URL(cluster.server),
    headers: user?.token === undefined ? {} : { Authorization: `Bearer ${user.token}` },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
    },
  };
}

function material(base64: string | undefined, file: string | undefined): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return file === undefined ? undefined : readFileSync(file);
}
