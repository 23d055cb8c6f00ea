import {
  IncompleteObjectError,
  type InformerOptions,
  type KubernetesObject,
  type ObjectMeta,
} from 'kubeflect';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

interface Stored extends ConfigMap {
  metadata?: ObjectMeta & { managedFields?: readonly object[] };
}

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'default' },
    data: { colour: 'red' },
  });
});
afterAll(() => world.close());
afterEach(() => world.closeEngines());

const KEY = 'default/settings';
const HOOKS = `data:text/javascript,${encodeURIComponent('export const transform = (object) => object;')}`;

async function informer(options: Partial<InformerOptions<ConfigMap>> = {}) {
  const started = world.engine().informer<ConfigMap>({ ...CONFIG_MAPS, ...options });
  started.start();
  await started.synced;
  await expect.poll(() => started.lister.get(KEY)).toBeDefined();
  return started;
}

it('objectForUpdate returns a copy that can be changed and sent, and keeps the managedFields of the server', async () => {
  const configMaps = await informer();
  const copy = configMaps.objectForUpdate(KEY);
  expect(copy).toEqual(configMaps.lister.get(KEY));
  expect(copy).not.toBe(configMaps.lister.get(KEY));
  const url = `${world.server.url}/api/v1/namespaces/default/configmaps/settings`;
  const json = async (response: Response): Promise<Stored> => (await response.json()) as Stored;
  const read = async (): Promise<unknown> => (await json(await fetch(url))).metadata?.managedFields;
  const before = await read();
  const body = JSON.stringify({ ...copy, data: { colour: 'blue' } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}?fieldManager=unknown`, { method: 'PUT', body, headers });
  expect(response.status).toBe(200);
  expect((await json(response)).data).toEqual({ colour: 'blue' });
  expect(before).toHaveLength(1);
  expect(await read()).toEqual(expect.arrayContaining([expect.objectContaining({ operation: 'Update' })]));
  expect(configMaps.objectForUpdate('default/nothing')).toBeUndefined();
});

it.each<readonly [string, Partial<InformerOptions<ConfigMap>>, RegExp, readonly string[]]>([
  ['that drops paths', { drop: ['metadata.managedFields', 'data'] }, /drops data \(drop\)/, ['data']],
  ['of metadata only', { metadataOnly: true }, /metadataOnly/, []],
  ['with hooks', { hooks: HOOKS }, /hooks of the informer may have changed it/, []],
  [
    'with a transform',
    { transform: (object) => object },
    /transform of the informer may have changed it/,
    [],
  ],
])('is refused for an informer %s', async (_, options, message, paths) => {
  const configMaps = await informer(options);
  let thrown: unknown;
  try {
    configMaps.objectForUpdate(KEY);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(IncompleteObjectError);
  expect(thrown).toMatchObject({ code: 'KUBEFLECT_OBJECT_INCOMPLETE', key: KEY, paths });
  expect(`${thrown}`).toMatch(message);
});
