import type * as k8s from '@kubernetes/client-node';
import { Engine, type Entry, runController } from 'kubeflect';
import { controllerUid, runManager } from 'kubeflect/controller';
import { expect, expectTypeOf, it } from 'vitest';

// Held by `npm run typecheck`: a wrong type does not compile. At run time nothing is started.
const engine = new Engine({ connection: { server: 'http://127.0.0.1:1', headers: {} }, workers: 1 });
const ended = AbortSignal.abort();

const shops = engine.informer<k8s.V1ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' });
const pods = engine.informer<k8s.V1Pod>({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  indexers: { controller: controllerUid },
});
const jobs = engine.informer<k8s.V1Job>({
  apiVersion: 'batch/v1',
  kind: 'Job',
  plural: 'jobs',
  indexers: { controller: controllerUid },
});

it('reconcile, watches and owns infer the types of the objects', async () => {
  const controller = runController({
    informer: shops,
    watches: [
      {
        informer: pods,
        keys: (entry) => {
          expectTypeOf(entry).toEqualTypeOf<Entry<k8s.V1Pod>>();
          return [entry.object.spec?.nodeName ?? ''];
        },
      },
      { informer: jobs, keys: ({ object }) => [object.spec?.template.metadata?.name ?? ''] },
      // @ts-expect-error a pod has no `data`
      { informer: pods, keys: ({ object }) => [object.data ?? ''] },
    ],
    owns: [{ informer: pods }, { informer: jobs, priority: 'high' }],
    reconcile: (key, { object }) => {
      expectTypeOf(key).toBeString();
      expectTypeOf(object).toEqualTypeOf<k8s.V1ConfigMap | undefined>();
    },
    signal: ended,
  });
  expectTypeOf(pods.lister.controlledBy({})).toEqualTypeOf<k8s.V1Pod[]>();
  expect(controller.isStopped).toBe(true);
  await controller.stop();
});

it('the controllers of a manager infer them as well', () => {
  const types = (): unknown =>
    runManager({
      engine,
      controllers: [
        {
          informer: shops,
          owns: [{ informer: pods }],
          reconcile: (_key, { object }) =>
            void expectTypeOf(object).toEqualTypeOf<k8s.V1ConfigMap | undefined>(),
        },
        { informer: pods, reconcile: (_key, { object }) => void object?.spec?.nodeName },
      ],
    });
  expect(types).toBeTypeOf('function');
});
