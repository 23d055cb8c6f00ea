import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { KubeConfig, loadAllYaml } from '@kubernetes/client-node';
import { type Manager, runManager } from 'kubeflect/controller';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FINALIZER, ROTATION_LABEL, TOKEN_LABEL } from '../../examples/api-token-operator/api-token.js';
import { reconcileApiTokens } from '../../examples/api-token-operator/reconcile-api-tokens.js';
import { EngineFixture } from '../support/engine/engine-fixture.js';

const FOLDER = new URL('../../examples/api-token-operator/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

const TOKEN = { apiVersion: 'example.com/v1', kind: 'ApiToken', namespace: 'default' };

let world: EngineFixture;
let manager: Manager;

async function create(name: string, spec: object = {}): Promise<void> {
  const { namespace, ...type } = TOKEN;
  await world.server.create({ ...type, metadata: { name, namespace }, spec });
}

const token = async (name: string): Promise<Item | undefined> =>
  (await world.server.get({ ...TOKEN, name })) as Item | undefined;

async function secrets(): Promise<Item[]> {
  const query = `labelSelector=${encodeURIComponent(TOKEN_LABEL)}`;
  const answer = await fetch(`${world.server.url}/api/v1/secrets?${query}`);
  return ((await answer.json()) as { items: Item[] }).items;
}

describe('the example operator', () => {
  beforeEach(async () => {
    world = await EngineFixture.start();
    for (const object of loadAllYaml(read('crd.yaml'))) await world.server.create(object);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(world.server.kubeConfig);
    const engine = world.engine();
    manager = runManager({
      engine,
      controllers: [reconcileApiTokens(engine, kubeConfig)],
      leaderElection: { name: 'api-token-operator', namespace: 'default' },
      signals: [],
      onError: (error) => void world.errors.push(error),
    });
    await manager.synced;
  });
  afterEach(async () => {
    expect(await manager.stop()).toBe(0);
    await world.close();
  });

  it('gives an ApiToken a Secret of its own, which its status names', async () => {
    await create('cart');
    await expect.poll(async () => (await token('cart'))?.status?.['observedGeneration']).toBe(1);
    const [secret, ...others] = await secrets();
    const { metadata, status } = (await token('cart')) as Item;
    expect(others).toEqual([]);
    expect(secret?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
    expect(secret?.metadata.name).toMatch(/^cart-\w+$/);
    expect(Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString()).toMatch(/^[\w-]{43}$/);
    expect(status).toEqual({ observedGeneration: 1, rotation: 1, secretName: secret?.metadata.name });
    expect(metadata.finalizers).toEqual([FINALIZER]);
  });

  it('replaces the Secret when the rotation is raised, and when somebody deletes it', async () => {
    await create('cart');
    await expect.poll(async () => (await token('cart'))?.status?.['rotation']).toBe(1);
    const [first] = await secrets();
    await world.server.patch({ ...TOKEN, name: 'cart' }, { spec: { rotation: 2 } });
    await expect
      .poll(async () => (await secrets()).map(({ metadata }) => metadata.labels?.[ROTATION_LABEL]))
      .toEqual(['2']);
    const [second] = await secrets();
    expect(second?.metadata.name).not.toBe(first?.metadata.name);
    await expect.poll(async () => (await token('cart'))?.status?.['secretName']).toBe(second?.metadata.name);
    const name = second?.metadata.name ?? '';
    await world.server.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name });
    await expect.poll(async () => (await token('cart'))?.status?.['secretName']).not.toBe(name);
    const [third, ...others] = await secrets();
    expect(others).toEqual([]);
    expect((await token('cart'))?.status?.['secretName']).toBe(third?.metadata.name);
  });

  it('does not reconcile an ApiToken whose spec has not changed', async () => {
    await create('cart');
    await expect.poll(async () => (await token('cart'))?.status?.['rotation']).toBe(1);
    await create('first');
    await expect.poll(async () => (await token('first'))?.status?.['rotation']).toBe(1);
    const keys: string[] = [];
    const onReconcile = (message: unknown): void => void keys.push((message as { key: string }).key);
    subscribe('kubeflect:reconcile:start', onReconcile);
    await world.server.patch({ ...TOKEN, name: 'cart' }, { metadata: { labels: { a: 'b' } } });
    await create('second');
    await expect.poll(async () => (await token('second'))?.status?.['rotation']).toBe(1);
    unsubscribe('kubeflect:reconcile:start', onReconcile);
    expect(keys).toContain('default/second');
    expect(keys).not.toContain('default/cart');
  });

  it('deletes the Secret before the ApiToken is gone', async () => {
    await create('cart');
    await expect.poll(async () => (await secrets()).length).toBe(1);
    await world.server.delete({ ...TOKEN, name: 'cart' });
    await expect.poll(() => token('cart')).toBeUndefined();
    expect(await secrets()).toEqual([]);
  });

  it('is allowed exactly the requests that it makes', async () => {
    await create('cart');
    await expect.poll(async () => (await token('cart'))?.status?.['rotation']).toBe(1);
    await world.server.delete({ ...TOKEN, name: 'cart' });
    await expect.poll(() => token('cart')).toBeUndefined();
    const asked = (await world.server.requests())
      // Our own look at the server is the one without a name.
      .filter(({ userAgent, path }) => !/^node$|undici/.test(userAgent) && path !== '/livez')
      .map(({ verb, path }) => {
        const [, resource = path, status = ''] =
          /(apitokens|secrets|leases)(?:\/[^/]+)?(\/status)?$/.exec(path) ?? [];
        return `${verb} ${resource}${status}`;
      });
    // Whether it lists or watches from the beginning depends on the server: it must be allowed both.
    const needed = asked.flatMap((what) => [what, what.replace(/^watch/, 'list')]);
    const rules = loadAllYaml(read('deployment.yaml'))
      .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
      .flatMap((role) => role.rules as { resources: string[]; verbs: string[] }[]);
    const allowed = rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );
    // What admission asks, not the operator; and the update of a Lease is its renewal, which comes later.
    const unseen = ['update apitokens/finalizers', 'update leases'];
    expect([...new Set([...needed, ...unseen])].sort()).toEqual(allowed.sort());
  });
});

describe('the deployment of the example', () => {
  const objects = loadAllYaml(read('deployment.yaml'));
  const spec = objects.find(({ kind }) => kind === 'Deployment').spec;
  const [container] = spec.template.spec.containers;

  it('runs two replicas, of which a disruption leaves one', () => {
    expect(spec.replicas).toBe(2);
    const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget').spec;
    expect(budget).toEqual({ minAvailable: 1, selector: spec.selector });
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  });

  it('probes the endpoints at the port that the program is given, and lets it end in order', () => {
    const [{ name, containerPort }] = container.ports;
    const env = (key: string) => container.env.find((one: { name: string }) => one.name === key)?.value;
    expect([env('PORT'), env('HOST')]).toEqual([String(containerPort), '0.0.0.0']);
    const probed = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => [httpGet.path, httpGet.port],
    );
    expect(probed).toEqual([
      ['/healthz', name],
      ['/healthz', name],
      ['/readyz', name],
    ]);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(20 + 5);
  });

  it('starts the file that the image is built from', () => {
    expect(read('Dockerfile')).toContain('CMD ["node", "main.js"]');
    expect(read('main.ts')).toContain('runManager(');
  });
});
