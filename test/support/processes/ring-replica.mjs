/**
 * A replica of a controller on a ring: sets `handled` of config maps to their `wanted`, by conditional writes. Prints a
 * line of JSON for each event, with the time of the monotonic clock that all processes of a machine share.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { Engine, runController } from 'kubeflect';
import { ShardRing } from 'kubeflect/sharding';

const NAMESPACE = process.env.RING_NAMESPACE;
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(process.env.RING_KUBECONFIG);
const api = kubeConfig.makeApiClient(CoreV1Api);

function log(event) {
  const atMs = Number(process.hrtime.bigint() / 1000n) / 1000;
  process.stdout.write(`${JSON.stringify({ atMs, ...event })}\n`);
}

const onError = () => {};
const engine = new Engine({ kubeConfig, workers: 1, onError });
const ring = new ShardRing({ engine, name: 'churned', namespace: NAMESPACE, shards: 32, onError });
for (const type of ['acquired', 'draining', 'lost']) ring.on(type, (shard) => log({ type, shard }));
const informer = engine.informer({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespace: NAMESPACE,
  ring,
  onError,
});
const controller = runController({
  informer,
  ring,
  concurrency: 8,
  onError,
  reconcile: async (key, { signal }) => {
    const object = informer.lister.get(key);
    if (object?.data?.wanted === undefined || object.data.handled === object.data.wanted) return;
    log({ type: 'begin', key });
    let outcome = 'aborted';
    try {
      // The work that the write is the result of.
      await sleep(10 + Math.random() * 40);
      signal.throwIfAborted();
      const { name, namespace } = object.metadata;
      const body = { ...object, data: { ...object.data, handled: object.data.wanted } };
      await api.replaceNamespacedConfigMap({ name, namespace, body });
      outcome = 'written';
    } catch (error) {
      if (!signal.aborted) outcome = error?.code === 409 ? 'conflict' : 'failed';
      throw error;
    } finally {
      log({ type: 'end', key, outcome });
    }
  },
});
process.once('SIGTERM', async () => {
  await ring.stop({ timeoutMs: 20_000 });
  await controller.stop();
  await engine.close();
  log({ type: 'left' });
  process.exit(0);
});
