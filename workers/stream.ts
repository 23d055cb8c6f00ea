/** Placeholder until the branch of the workers is merged: batches that are JSON. */
import type { MessagePort } from 'node:worker_threads';
import { parsePath, valuesAtPath } from '../src/kube/path.js';
import { BatchWriter } from '../src/wire/batch.js';
import { ObjectPacker } from '../src/wire/codec.js';
import type { StreamRequest, ToWorker } from '../src/wire/messages.js';

interface Loose {
  metadata: {
    namespace?: string;
    name?: string;
    uid?: string;
    resourceVersion?: string;
    managedFields?: unknown;
  };
}

let isBeating = false;
export async function startThread(heartbeat: Int32Array): Promise<void> {
  Atomics.add(heartbeat, 0, 1);
  if (!isBeating) setInterval(() => Atomics.add(heartbeat, 0, 1), 100).unref();
  isBeating = true;
}

export async function runStream({ task, port }: StreamRequest): Promise<void> {
  const abort = new AbortController();
  let credits = task.credits;
  let wake = (): void => {};
  port.on('message', (message: ToWorker) => {
    if (message.type === 'stop') abort.abort();
    else credits += message.batches;
    wake();
  });
  port.on('close', () => {
    abort.abort();
    wake();
  });
  let sequence = 0;
  const packer = new ObjectPacker();
  const writer = new BatchWriter(packer);
  const paths = task.decoding.indexPaths.map(parsePath);
  const send = async (rows: unknown[]): Promise<void> => {
    while (credits === 0 && !abort.signal.aborted) await new Promise<void>((r) => (wake = r));
    credits--;
    for (const row of rows as { type: 'item'; object?: Loose }[]) {
      const { object } = row;
      if (object === undefined) {
        writer.add(row as never);
        continue;
      }
      delete object.metadata['managedFields'];
      const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
      const indexValues = paths.map((path) => valuesAtPath(object, path));
      const header = { type: row.type, namespace, name, uid, resourceVersion, indexValues };
      writer.add({ header, payload: packer.pack(object) });
    }
    const buffer = writer.finish(task.epoch, sequence);
    port.postMessage({ type: 'batch', epoch: task.epoch, sequence: sequence++, buffer }, [buffer]);
  };
  try {
    await stream({ task, port } as StreamRequest, abort.signal, port, send);
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause;
    port.postMessage({
      type: 'failed',
      error: { type: 'transport', errno: cause?.code ?? 'EOF', message: String(error) },
    });
  }
  port.close();
}

async function stream(
  { task }: StreamRequest,
  signal: AbortSignal,
  port: MessagePort,
  send: (rows: unknown[]) => Promise<void>,
): Promise<void> {
  const response = await fetch(task.connection.server + task.path, {
    signal,
    headers: task.connection.headers,
  });
  if (response.status !== 200) {
    const status = (await response.json()) as object;
    port.postMessage({
      type: 'failed',
      error: { type: 'status', status: { code: response.status, ...status } },
    });
    return;
  }
  port.postMessage({ type: 'open' });
  const { kind, apiVersion } = task.decoding;
  if (task.verb === 'list') {
    const list = (await response.json()) as {
      metadata: { resourceVersion: string; continue?: string };
      items: object[];
    };
    const meta = { resourceVersion: list.metadata.resourceVersion, continue: list.metadata.continue ?? '' };
    port.postMessage({ type: 'begin', ...meta });
    for (let i = 0; i < list.items.length; i += 50) {
      await send(
        list.items
          .slice(i, i + 50)
          .map((object) => ({ type: 'item', object: { kind, apiVersion, ...object } })),
      );
    }
    port.postMessage({ type: 'end', ...meta });
    return;
  }
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const rows = lines.map((line) => {
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: { metadata: { resourceVersion: string; annotations?: Record<string, string> } };
      };
      if (type === 'BOOKMARK')
        return {
          type: 'bookmark',
          resourceVersion: object.metadata.resourceVersion,
          initialEventsEnd: object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true',
        };
      if (type === 'ERROR') return { type: 'error', status: object };
      return { type: type.toLowerCase(), object };
    });
    if (rows.length > 0) await send(rows);
  }
  port.postMessage({ type: 'end', resourceVersion: '', continue: '' });
}
