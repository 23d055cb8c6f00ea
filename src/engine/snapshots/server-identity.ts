import { createHash } from 'node:crypto';
import type { Credentials } from '../../auth/credentials.js';
import { queryString } from '../../kube/resource.js';
import type { StreamPool } from '../../pool/worker-pool.js';
import type { ServerIdentity } from '../../snapshot/snapshot-header.js';
import type { RestClientMetrics } from '../../util/rest-client-metrics.js';
import { BatchReader } from '../../wire/batch.js';
import { ObjectReaders } from '../../wire/object-readers.js';
import type { StreamLimits } from '../../wire/stream-task.js';
import { AuthorizedStream } from '../authorized-stream.js';

const QUERY = queryString({ fieldSelector: 'metadata.name=kube-system', resourceVersion: '0' });

export interface ServerIdentityOptions {
  readonly pool: StreamPool;
  readonly credentials: Credentials;
  readonly limits: StreamLimits;
  readonly requests: RestClientMetrics;
}

/** Asks which cluster this is. Never rejects for what a server responds: the UID may be forbidden, or out of reach. */
export async function serverIdentity(options: ServerIdentityOptions): Promise<ServerIdentity> {
  const { server, tls } = await options.credentials.current();
  const authority = createHash('sha256')
    .update(tls?.ca ?? '')
    .digest('hex')
    .slice(0, 16);
  // Without user and password, which some addresses have.
  const { origin, pathname } = new URL(server);
  return { uid: await uidOfKubeSystem(options), address: `${origin}${pathname} ${authority}` };
}

async function uidOfKubeSystem({
  pool,
  credentials,
  limits,
  requests,
}: ServerIdentityOptions): Promise<string | undefined> {
  const stream = new AuthorizedStream(
    credentials,
    (connection) =>
      pool.open({
        verb: 'list',
        path: `/api/v1/namespaces${QUERY}`,
        connection,
        encodings: ['json'],
        limits,
        credits: 2,
        decoding: {
          decoder: 'json',
          apiVersion: 'v1',
          kind: 'Namespace',
          form: 'metadata',
          drop: [],
          indexPaths: [],
          hookIndexes: [],
        },
      }),
    (server, code) => requests.count('GET', server, code),
  );
  let uid: string | undefined;
  try {
    let reader: BatchReader | undefined;
    for (;;) {
      const message = await stream.next();
      if (message === undefined || message.type === 'end') return uid;
      if (message.type !== 'batch') continue;
      reader ??= new BatchReader({ epoch: stream.epoch, readers: new ObjectReaders() });
      const { rows, cells } = reader.read(message.buffer);
      for (const row of rows) if (typeof row === 'number') uid = cells.uidAt(row) || undefined;
    }
  } catch {
    return undefined;
  } finally {
    stream.stop();
  }
}
