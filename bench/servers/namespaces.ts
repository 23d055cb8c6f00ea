/** The embedded API server with pods in many namespaces. */
import { type ApiServerHandle, type KubeObject, startApiServer } from 'kubeflect/testing';
import { podsOf } from './embedded.js';
import type { Population } from './server.js';

export interface NamespacesServer {
  readonly server: ApiServerHandle;
  readonly namespaces: readonly string[];
}

/** Pods are spread evenly. */
export async function startNamespaces(population: Population, count: number): Promise<NamespacesServer> {
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  try {
    await server.populate({ ...podsOf(population), namespaces: count });
    return { server, namespaces: await namespacesWithPods(server) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function namespacesWithPods(server: ApiServerHandle): Promise<string[]> {
  const names = new Set<string>();
  let next = '';
  do {
    const response = await fetch(`${server.url}/api/v1/pods?limit=5000&continue=${next}`, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    });
    const { metadata, items } = (await response.json()) as {
      metadata: { continue?: string };
      items: KubeObject[];
    };
    for (const { metadata: item } of items) names.add(item?.namespace ?? '');
    next = metadata.continue ?? '';
  } while (next !== '');
  return [...names];
}
