import { readdirSync, readFileSync } from 'node:fs';
import { loadYaml } from '@kubernetes/client-node';
import type { ApiServerHandle } from 'kubeflect/testing';
import { expect, it } from 'vitest';
import { expectProgram, line, type Program } from '../support/processes/program.js';

const FOLDER = new URL('../../examples/', import.meta.url);

function pod(name: string, nodeName: string, namespace = 'default') {
  const spec = { nodeName, containers: [{ name: 'main', image: 'example.com/cart:1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
}

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const configMap = (
  name: string,
  more: { labels?: Record<string, string>; data?: Record<string, string> } = {},
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: more.labels ?? {} },
  data: more.data ?? {},
});

async function create(
  server: ApiServerHandle,
  ...objects: Parameters<ApiServerHandle['create']>[0][]
): Promise<void> {
  for (const object of objects) await server.create(object);
}

/** What each example needs and prints: one row per program in examples/. */
const EXAMPLES: Readonly<Record<string, Omit<Program, 'file'>>> = {
  'smallest-informer.ts': {
    prepare: (server) => create(server, pod('a', 'node-1'), pod('b', 'node-2')),
    prints: ['added default/a', 'added default/b', '2 pods'],
    inAnyOrder: true,
  },
  'index-by-node.ts': {
    prepare: (server) => create(server, pod('a', 'node-1'), pod('b', 'node-2'), pod('c', 'node-1')),
    prints: ['node-1: a, c', 'node-2: b', '3 run example.com/cart:1'],
  },
  'custom-resource.ts': {
    async prepare(server) {
      await server.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'backups.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'backups', singular: 'backup', kind: 'Backup', listKind: 'BackupList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      });
      const spec = { schedule: '0 3 * * *', volumes: ['data-0', 'data-1'] };
      const metadata = { name: 'nightly', namespace: 'default' };
      const backup = { apiVersion: 'example.com/v1', kind: 'Backup', metadata, spec };
      // A definition is served a moment after it was made.
      await expect
        .poll(() =>
          server.create(backup).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    },
    prints: ['nightly at 0 3 * * *', '1 save data-0'],
  },
  'transform-in-the-worker.ts': {
    prepare: (server) =>
      create(server, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'default' },
        data: { password: 'aHVudGVyMg==' },
      }),
    prints: ['login has the keys password and the values hidden'],
  },
  'metadata-only.ts': {
    prepare: (server) =>
      create(server, configMap('settings', { labels: { app: 'shop' } }), configMap('other')),
    prints: ['settings {"app":"shop"}'],
  },
  'many-kinds.ts': {
    prepare: (server) =>
      create(server, pod('a', 'node-1'), { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }),
    prints: ['pods: 1', 'services: 0', 'nodes: 1', 'deployments.apps: 0', 'jobs.batch: 0'],
  },
  'several-namespaces.ts': {
    prepare: (server) =>
      create(
        server,
        ...['shop', 'billing', 'secret'].flatMap((name) => [namespace(name), pod('a', 'node-1', name)]),
        pod('b', 'node-1', 'shop'),
      ),
    prints: ['billing: 1', 'shop: 2', 'secret: 0'],
  },
  'async-iterator.ts': {
    prepare: (server) => create(server, configMap('settings')),
    async meanwhile(server, printed) {
      await line(printed, /news/);
      await server.create(configMap('more'));
      await line(printed, /add more/);
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'more' };
      await server.delete(reference);
      await line(printed, /gone/);
      await server.patch({ ...reference, name: 'settings' }, { data: { colour: 'blue' } });
    },
    prints: ['add settings', 'from here on it is news', 'add more', 'more is gone', 'update settings'],
  },
  'prometheus-endpoint.ts': {
    prepare: (server) => create(server, pod('a', 'node-1')),
    async meanwhile(_, printed) {
      const [url = ''] = /http\S+/.exec(await line(printed, /metrics at/)) ?? [];
      const text = async (): Promise<string> => (await fetch(url)).text();
      await expect.poll(text).toMatch(/^kubeflect_informer_objects\{name="pods".*\} 1$/m);
      const health = await fetch(new URL('/healthz', url));
      expect(health.status).toBe(200);
      expect(await health.json()).toMatchObject({ state: 'synced', objects: 1 });
      process.emit('SIGTERM');
    },
    prints: [/^metrics at http:\/\/127\.0\.0\.1:\d+\/metrics$/],
  },
  'testing-a-controller.ts': { prints: ['the controller survives a watch that is cut'] },
  'migrating-from-client-node.ts': {
    prepare: (server) => create(server, pod('checkout-1', 'node-17')),
    prints: ['added checkout-1', 'node-17'],
  },
  'api-token-operator/main.ts': {
    async prepare(server) {
      const definition = readFileSync(new URL('api-token-operator/crd.yaml', FOLDER), 'utf8');
      await server.create(loadYaml(definition));
    },
    async meanwhile(server, printed) {
      await line(printed, /leading/);
      const token = { apiVersion: 'example.com/v1', kind: 'ApiToken' };
      await server.create({ ...token, metadata: { name: 'cart', namespace: 'default' }, spec: {} });
      const reference = { ...token, namespace: 'default', name: 'cart' };
      await expect
        .poll(async () => (await server.get(reference))?.['status'])
        .toMatchObject({ secretName: expect.stringMatching(/^cart-/) });
      process.emit('SIGTERM');
    },
    prints: ['synced, http://127.0.0.1', 'leading', 'stopped'].map((start) => new RegExp(`^${start}`)),
  },
  'opentelemetry/main.ts': {
    prepare: (server) => create(server, configMap('settings')),
    async meanwhile(_, printed) {
      await line(printed, /reconcile config-maps default\/settings/);
      process.emit('SIGTERM');
    },
    prints: ['sync configmaps', 'reconcile config-maps default/settings'],
  },
  'config-map-copier/main.ts': {
    prepare: (server) =>
      create(
        server,
        namespace('shop'),
        configMap('settings', { labels: { 'copy.example.com/source': 'true' }, data: { colour: 'blue' } }),
      ),
    async meanwhile(server, printed) {
      await line(printed, /copying/);
      const copy = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
      await expect.poll(async () => (await server.get(copy))?.['data']).toEqual({ colour: 'blue' });
      process.emit('SIGTERM');
    },
    prints: ['copying', 'stopped'],
  },
};

it('every program in examples/ has a row here', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const isProgram = (file: string): boolean => /^[^/]+\.ts$|\/main\.ts$/.test(file);
  expect(files.filter(isProgram).sort()).toEqual(Object.keys(EXAMPLES).sort());
});

it.each(Object.keys(EXAMPLES))('%s runs and prints what it should', (name) =>
  expectProgram({ prints: [], ...EXAMPLES[name], file: new URL(name, FOLDER) }),
);
