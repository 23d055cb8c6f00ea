/** managedFields: who owns what after which write. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { configMap, type KubeObject, kindNamed, type ManagedFieldsEntry, pod } from '../harness/objects.js';
import { MERGE_PATCH, type Sandbox } from '../harness/sandbox.js';

async function patchAs(ns: Sandbox, agent: string, path: string, body: unknown): Promise<KubeObject> {
  const headers = { 'Content-Type': MERGE_PATCH, 'User-Agent': agent };
  return (await ns.api.request('PATCH', path, { body, headers })).json;
}

function owners(object: KubeObject): Record<string, ManagedFieldsEntry['fieldsV1']> {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [entry.manager, entry.fieldsV1]),
  );
}

describe('managedFields', () => {
  test('of a Pod identify list items by their keys', async ({ ns }) => {
    const created = await ns.create('pods', pod('a', { metadata: { labels: { app: 'x' } } }));
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'conformance',
        operation: 'Update',
        apiVersion: 'v1',
        time: created.metadata.creationTimestamp,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"main"}': {
                '.': {},
                'f:image': {},
                'f:imagePullPolicy': {},
                'f:name': {},
                'f:resources': {},
                'f:terminationMessagePath': {},
                'f:terminationMessagePolicy': {},
              },
            },
            'f:dnsPolicy': {},
            'f:enableServiceLinks': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        },
      },
    ]);
  });

  test('identify finalizers by their value', async ({ ns }) => {
    const created = await ns.create(
      'configmaps',
      configMap('a', { metadata: { finalizers: ['kubeflect.dev/x'] } }),
    );
    expect(created.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"kubeflect.dev/x"': {} } },
    });
  });

  test('have the fieldManager as manager, otherwise the User-Agent up to its slash', async ({ ns }) => {
    const body = { metadata: { generateName: 'x-' }, data: { k: '1' } };
    const path = ns.path('configmaps');
    const named = await ns.api.request('POST', path, { body, query: { fieldManager: 'mine' } });
    expect(Object.keys(owners(named.json))).toEqual(['mine']);
    const agent = { 'User-Agent': 'kubectl/v1.36.3 (linux/amd64)' };
    const byAgent = await ns.api.request('POST', path, { body, headers: agent });
    expect(Object.keys(owners(byAgent.json))).toEqual(['kubectl']);
  });

  test('assign changed fields to the second writer, others stay with the first', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1', l: '1' } }));
    const changed = await patchAs(ns, 'other/1', ns.path('configmaps', 'a'), { data: { l: '2', m: '1' } });
    expect(owners(changed)).toEqual({
      conformance: { 'f:data': { '.': {}, 'f:k': {} } },
      other: { 'f:data': { 'f:l': {}, 'f:m': {} } },
    });
  });

  test('do not change when the same value is written', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const same = await patchAs(ns, 'other/1', ns.path('configmaps', 'a'), { data: { k: '1' } });
    expect(same).toEqual(created);
  });

  test('lose removed fields, and managers without fields', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const path = ns.path('configmaps', 'a');
    await patchAs(ns, 'other/1', path, { data: { l: '1' } });
    const changed = await patchAs(ns, 'third/1', path, { data: { l: null } });
    expect(owners(changed)).toEqual({ conformance: { 'f:data': { '.': {}, 'f:k': {} } } });
  });

  test('are sorted by manager within one second', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    await patchAs(ns, 'zebra/1', path, { data: { z: '1' } });
    const { metadata } = await patchAs(ns, 'ant/1', path, { data: { a: '1' } });
    const entries = metadata.managedFields ?? [];
    const sorted = [...entries].sort(
      (a, b) => a.time.localeCompare(b.time) || a.manager.localeCompare(b.manager),
    );
    expect(entries).toEqual(sorted);
    expect(entries).toHaveLength(3);
  });

  test('have a separate entry for a writer of the status', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const { metadata } = await ns.change(`${ns.path('pods', 'a')}/status`, { status: { phase: 'Running' } });
    const subresources = metadata.managedFields?.map(
      ({ manager, subresource }) => `${manager} ${subresource}`,
    );
    expect(subresources?.sort()).toEqual(['conformance status', 'conformance undefined']);
  });

  test('have at most ten updaters; older ones are merged', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    let changed = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    for (let i = 0; i < 13; i += 1)
      changed = await patchAs(ns, `m${i}/1`, path, { data: { [`k${i}`]: '1' } });
    const managers = changed.metadata.managedFields?.map(({ manager }) => manager) ?? [];
    expect(managers).toHaveLength(10);
    expect(managers).toContain('ancient-changes');
    expect(managers).toContain('m12');
  });

  test.for([[[]], [[{}]]])(
    'an empty list from the client resets them: %j',
    async ([managedFields], { ns }) => {
      const path = ns.path('configmaps', 'a');
      await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
      const { metadata } = await ns.change(path, { metadata: { managedFields } });
      expect(metadata).not.toHaveProperty('managedFields');
    },
  );

  const entry = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  test('can be set by the client', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1', l: '1' } }));
    const sent = { ...entry, fieldsV1: { 'f:data': { 'f:k': {} } } };
    const { metadata } = await ns.change(ns.path('configmaps', 'a'), { metadata: { managedFields: [sent] } });
    expect(metadata.managedFields).toEqual([sent]);
  });

  test.for([
    ['no operation', { operation: null }],
    ['an unknown operation', { operation: 'Nope' }],
    ['no apiVersion', { apiVersion: null }],
    ['no fieldsType', { fieldsType: null }],
  ])('with %s are not taken', async ([, wrong], { ns }) => {
    const { metadata } = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const sent = { ...entry, fieldsV1: { 'f:data': {} }, ...(wrong as object) };
    const changed = await ns.change(ns.path('configmaps', 'a'), { metadata: { managedFields: [sent] } });
    expect(changed.metadata).toEqual(metadata);
  });

  test('are not added by an update of an object without any', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const { metadata } = await ns.change(ns.path('configmaps', 'a'), { data: { k: '1' } });
    expect(metadata).not.toHaveProperty('managedFields');
  });

  test('of a custom resource have its version', async ({ ns, widgets }) => {
    const created = await ns.createAt(
      widgets.pathIn(ns),
      widgets.widget('w', { spec: { color: 'red' }, metadata: { labels: { l: '1' } } }),
    );
    expect(created.metadata.managedFields).toMatchObject([
      {
        apiVersion: widgets.apiVersion,
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
          'f:spec': { '.': {}, 'f:color': {}, 'f:mode': {} },
        },
      },
    ]);
  });

  test.for([
    ['ConfigMap', { 'f:data': { '.': {}, 'f:a': {} } }],
    ['Secret', { 'f:data': { '.': {}, 'f:a': {} }, 'f:type': {} }],
    ['EndpointSlice', { 'f:addressType': {} }],
    ['Lease', { 'f:spec': { 'f:holderIdentity': {} } }],
    ['Event', { 'f:involvedObject': {}, 'f:reason': {}, 'f:type': {} }],
  ] satisfies [string, Record<string, unknown>][])('of a new %s', async ([name, fields], { ns }) => {
    const { metadata } = await ns.createKind(kindNamed(name), 'a');
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([fields]);
  });
});
