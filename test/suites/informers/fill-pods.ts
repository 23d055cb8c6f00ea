/** Creates many pods quickly: one through the API server, and copies of what it stored in etcd under other names. */

import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../conformance/harness/client.js';
import type { EtcdClient } from '../../controlplane/etcd-client.js';

const NAMESPACES = 20;
const AT_ONCE = 64;

/** All of the same length, so that replacing one by another keeps the length prefixes of protobuf strings valid. */
const namespaceName = (number: number): string => `fill-${String(number).padStart(2, '0')}`;
const podName = (number: number): string => `pod-${String(number).padStart(6, '0')}`;

/** Every pod is a separate write to etcd with its own version, as the API server would make it. */
export async function fillPods(api: ApiClient, etcd: EtcdClient, count: number): Promise<void> {
  for (let i = 0; i < NAMESPACES; i++) {
    await created(api, '/api/v1/namespaces', { metadata: { name: namespaceName(i) } });
  }
  const uid = await created(api, `/api/v1/namespaces/${namespaceName(0)}/pods`, {
    metadata: { name: podName(0), labels: { app: 'filled' }, annotations: { note: 'x'.repeat(500) } },
    spec: { containers: [{ name: 'main', image: 'example.com/app:1.0', env: environment() }] },
  });
  const stored = await etcd.get(keyOf(namespaceName(0), podName(0)));
  const template = stored.toString('latin1');
  let next = 1;
  const write = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const namespace = namespaceName(number % NAMESPACES);
      const copy = template
        .replaceAll(namespaceName(0), namespace)
        .replaceAll(podName(0), podName(number))
        .replaceAll(uid, randomUUID());
      await etcd.put(keyOf(namespace, podName(number)), Buffer.from(copy, 'latin1'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
}

function keyOf(namespace: string, name: string): string {
  return `/registry/pods/${namespace}/${name}`;
}

function environment(): { name: string; value: string }[] {
  return Array.from({ length: 10 }, (_, i) => ({ name: `VARIABLE_${i}`, value: 'a value of usual length' }));
}

async function created(api: ApiClient, path: string, body: unknown): Promise<string> {
  const answer = await api.request('POST', path, { body });
  if (answer.status !== 201) throw new Error(`expected 201 Created, got ${answer.status} ${answer.text}`);
  return answer.json.metadata.uid;
}
