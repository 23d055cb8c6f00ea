/** The embedded API server in a process of its own, with objects that are rendered when they are asked for. */
import { startApiServer } from 'kubeflect/testing';
import { listBytes, protobufListBytes } from '../list-bytes.mjs';

export const POD = { apiVersion: 'v1', kind: 'Pod' };

/** Of 8.2 KB 60,000 are as many as client-node can hold in one string. */
export function podsOf({ objects, bytes = 8200, ...more }) {
  return { kind: 'Pod', count: objects, sizeBytes: bytes, managedFieldsShare: 0.26, ...more };
}

export async function embeddedServer({ objects, bytes }) {
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  try {
    await server.populate(podsOf({ objects, bytes }));
  } catch (error) {
    await server.close();
    throw error;
  }
  const { count, digest } = await server.digest(POD);
  return {
    kubeConfig: server.kubeConfig,
    objects,
    description: `${objects} pods of ${bytes} bytes, embedded API server, plain HTTP`,
    expected: async () => ({ count, digest }),
    listBytes: (encoding) => (encoding === 'json' ? listBytes(server) : protobufListBytes(server)),
    cpuMs: () => Number.NaN,
    close: () => server.close(),
  };
}
