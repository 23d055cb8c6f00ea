/** The embedded API server in its own process, with generated objects. */
import { type PopulateSpec, startApiServer } from 'kubeflect/testing';
import { jsonListBytes, protobufListBytes } from './list-bytes.js';
import type { BenchServer, Population } from './server.js';

export const POD = { apiVersion: 'v1', kind: 'Pod' };

/** client-node can hold at most 60,000 pods of 8.2 KB: it reads the list as one string. */
export function podsOf({ objects, bytes }: Population): PopulateSpec {
  return { kind: 'Pod', count: objects, sizeBytes: bytes, managedFieldsShare: 0.26 };
}

export async function embeddedServer({ objects, bytes }: Population): Promise<BenchServer> {
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
    listBytes: (encoding) => (encoding === 'json' ? jsonListBytes(server) : protobufListBytes(server)),
    cpuMs: () => Number.NaN,
    close: () => server.close(),
  };
}
