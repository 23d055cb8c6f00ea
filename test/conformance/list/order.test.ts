/** LIST and GET: the order of items, of keys, and the spelling of values in the JSON text. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { keyOrder } from '../harness/json-text.js';
import { configMap, type KubeObject, kindNamed, pod } from '../harness/objects.js';
import { randomName, Sandbox } from '../harness/sandbox.js';
import { podGeneration } from '../harness/versions.js';

function names(list: KubeObject): string[] {
  return list.items.map((item) => item.metadata.name);
}

describe('list items', () => {
  test('are in byte order of their names', async ({ ns }) => {
    for (const name of ['b', 'aa', 'a0', 'a.b', 'a-b', 'a']) await ns.create('configmaps', configMap(name));
    const list = (await ns.api.get(ns.path('configmaps'))).json;
    expect(names(list)).toEqual(['a', 'a-b', 'a.b', 'a0', 'aa', 'b']);
  });

  test('of all namespaces are in byte order of namespace/name, so x-b precedes x', async ({ api }) => {
    const stem = randomName('conf');
    const namespaces = [`${stem}`, `${stem}-b`, `${stem}0`];
    const sandboxes: Sandbox[] = [];
    try {
      for (const name of namespaces) sandboxes.push(await Sandbox.open(api, name));
      for (const sandbox of sandboxes) {
        for (const name of ['b', 'a']) {
          await sandbox.create('configmaps', configMap(name, { metadata: { labels: { run: stem } } }));
        }
      }
      const list = (await api.get('/api/v1/configmaps', { labelSelector: `run=${stem}` })).json;
      expect(list.items.map((item) => `${item.metadata.namespace}/${item.metadata.name}`)).toEqual(
        [`${stem}-b`, stem, `${stem}0`].flatMap((namespace) => [`${namespace}/a`, `${namespace}/b`]),
      );
    } finally {
      for (const sandbox of sandboxes) await sandbox.close();
    }
  });

  test('of a typed list have neither kind nor apiVersion', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    const { text } = await ns.api.get(ns.path('configmaps'));
    expect(keyOrder(text)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
    expect(keyOrder(text, 'items', 0)).toEqual(['metadata', 'data']);
  });

  test('of a typed list are otherwise the same as in a GET', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: 'v' }, metadata: { labels: { l: '1' } } }));
    const list = (await ns.api.get(ns.path('configmaps'))).text;
    const one = (await ns.api.get(ns.path('configmaps', 'a'))).text;
    const item = one.replace('"kind":"ConfigMap","apiVersion":"v1",', '').trimEnd();
    expect(list).toContain(`"items":[${item}]}\n`);
  });
});

describe('JSON keys', () => {
  test('of a Pod are in the order kind, apiVersion, metadata, spec, status', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const { text } = await ns.api.get(ns.path('pods', 'a'));
    expect(keyOrder(text)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
    expect(keyOrder(text, 'spec', 'containers', 0)).toEqual([
      'name',
      'image',
      'resources',
      'terminationMessagePath',
      'terminationMessagePolicy',
      'imagePullPolicy',
    ]);
  });

  test('of metadata are in declaration order, managedFields last', async ({ ns, minor }) => {
    const owner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'o',
      uid: 'd9607e19-f88f-11e6-a518-42010a800195',
    };
    const created = await ns.create(
      'pods',
      pod('unused', {
        metadata: {
          name: undefined,
          generateName: 'a-',
          finalizers: ['kubeflect.dev/hold'],
          annotations: { a: '1' },
          ownerReferences: [owner],
          labels: { l: '1' },
        },
        spec: { nodeName: 'n' },
      }),
    );
    const path = ns.path('pods', created.metadata.name);
    await ns.delete(path);
    const { text } = await ns.api.get(path);
    expect(keyOrder(text, 'metadata')).toEqual([
      'name',
      'generateName',
      'namespace',
      'uid',
      'resourceVersion',
      ...(podGeneration(minor, 1) === undefined ? [] : ['generation']),
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'labels',
      'annotations',
      'ownerReferences',
      'finalizers',
      'managedFields',
    ]);
    expect(keyOrder(text, 'metadata', 'managedFields', 0)).toEqual([
      'manager',
      'operation',
      'apiVersion',
      'time',
      'fieldsType',
      'fieldsV1',
    ]);
  });

  test('of maps are sorted in byte order, whatever order they were sent in', async ({ ns }) => {
    const map = { b: '1', 'a-b': '2', A: '3', a: '4', '0': '5', 'a.b': '6' };
    const sent = '{"metadata":{"name":"m","labels":LABELS},"data":DATA}'
      .replace('LABELS', '{"z":"1","a":"2"}')
      .replace('DATA', JSON.stringify(map));
    const response = await ns.api.request('POST', ns.path('configmaps'), { body: sent });
    expect(response.status).toBe(201);
    expect(response.text).toContain('"labels":{"a":"2","z":"1"}');
    expect(response.text).toContain('"data":{"0":"5","A":"3","a":"4","a-b":"2","a.b":"6","b":"1"}');
  });
});

describe('values', () => {
  test.for([
    ['<a href="x">&</a>', '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u003c/a\\u003e"'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    ['\b\f\n\r\t\u0001\u001f\u007f', '"\\b\\f\\n\\r\\t\\u0001\\u001f\u007f"'],
    ['\\/', '"\\\\/"'],
    ['äß€😀', '"äß€😀"'],
  ])('are escaped as Go does: %j', async ([value, text], { ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: value } }));
    const response = await ns.api.get(ns.path('configmaps', 'a'));
    expect(response.text).toContain(`"data":{"k":${text}}`);
  });

  test('times are whole seconds in UTC', async ({ ns }) => {
    const before = Date.now();
    const { metadata } = await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    expect(metadata.managedFields?.[0]?.time).toBe(metadata.creationTimestamp);
    expect(Math.abs(Date.parse(metadata.creationTimestamp) - before)).toBeLessThan(60_000);
  });

  test('micro times always have six digits', async ({ ns }) => {
    const lease = kindNamed('Lease').minimal('l', ns.name);
    const created = await ns.create('leases', {
      ...lease,
      spec: { renewTime: '2026-01-02T03:04:05.000000Z', acquireTime: '2026-01-02T04:04:05.120000+01:00' },
    });
    expect(created.spec).toEqual({
      acquireTime: '2026-01-02T03:04:05.120000Z',
      renewTime: '2026-01-02T03:04:05.000000Z',
    });
  });

  test('a resourceVersion is a decimal number in a string', async ({ ns }) => {
    const { metadata } = await ns.create('configmaps', configMap('a'));
    expect(metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
  });

  test('the body ends with one newline', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    expect((await ns.api.get(ns.path('configmaps'))).text).toMatch(/[^\n]\n$/);
    expect((await ns.api.get(ns.path('configmaps', 'a'))).text).toMatch(/[^\n]\n$/);
  });
});
