/** Custom resources: their definition, their spelling on the wire, their end. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { CRD_PATH, CustomResource } from '../harness/custom-resource.js';
import { expectStatus, invalid } from '../harness/expect-status.js';
import { keyOrder } from '../harness/json-text.js';
import { randomName } from '../harness/sandbox.js';
import { missingVersion } from '../harness/versions.js';

describe('a CustomResourceDefinition', () => {
  test('is returned with defaults and an empty status', async ({ api }) => {
    const resource = new CustomResource(api);
    const response = await resource.create();
    expect(response.status).toBe(201);
    expect(keyOrder(response.text)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
    expect(response.json.metadata.generation).toBe(1);
    expect(response.json.spec).toMatchObject({ conversion: { strategy: 'None' } });
    expect(response.json.status).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    await resource.remove();
  });

  test('is established soon, with two conditions', async ({ api, widgets }) => {
    const { status } = (await api.get(widgets.definitionPath)).json;
    expect(status).toEqual({
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: expect.any(String),
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: expect.any(String),
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        shortNames: ['wd'],
        kind: 'Widget',
        listKind: 'WidgetList',
      },
      storedVersions: ['v1'],
    });
  });

  test('adds its group and resources to discovery', async ({ api, widgets }) => {
    const { group, apiVersion } = widgets;
    const version = `{"groupVersion":"${apiVersion}","version":"v1"}`;
    expect((await api.get(`/apis/${group}`)).text).toBe(
      `{"kind":"APIGroup","apiVersion":"v1","name":"${group}","versions":[${version}],"preferredVersion":${version}}\n`,
    );
    const { json } = await api.get(`/apis/${apiVersion}`);
    expect(json).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersion,
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wd'],
          storageVersionHash: expect.any(String),
        },
        {
          name: 'widgets/status',
          singularName: '',
          namespaced: true,
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
        },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  test('must be named after plural and group', async ({ api }) => {
    const resource = new CustomResource(api);
    const body = { ...resource.manifest(), metadata: { name: `wrong.${resource.group}` } };
    const response = await api.request('POST', CRD_PATH, { body });
    expect(response.status).toBe(422);
    expect(response.json).toMatchObject({
      reason: 'Invalid',
      details: {
        name: `wrong.${resource.group}`,
        group: 'apiextensions.k8s.io',
        kind: 'CustomResourceDefinition',
        causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
      },
    });
  });

  test('is required: before and after it the resource is a 404 in plain text', async ({ api, ns }) => {
    const resource = new CustomResource(api);
    const notThere = async () => {
      const response = await api.get(resource.clusterPath);
      return response.status === 404 && response.text === '404 page not found\n';
    };
    expect(await notThere()).toBe(true);
    await resource.create();
    await resource.served();
    await ns.createAt(resource.pathIn(ns), resource.widget('w'));
    const watch = await ns.watch(resource.pathIn(ns));
    expect((await watch.next()).type).toBe('ADDED');
    const deleted = await api.request('DELETE', resource.definitionPath);
    expect(deleted.status).toBe(200);
    expect(deleted.json).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    });
    const seen = await watch.rest();
    expect(seen.map(({ type }) => type)).toEqual(['DELETED']);
    await expect.poll(notThere).toBe(true);
    expect((await api.get(resource.definitionPath)).status).toBe(404);
  });

  test('can be cluster-scoped', async ({ api }) => {
    const resource = await CustomResource.define(api, 'Cluster');
    const name = randomName('w');
    const created = await api.request('POST', resource.clusterPath, { body: resource.widget(name) });
    expect(created.status).toBe(201);
    expect(created.json.metadata).not.toHaveProperty('namespace');
    const list = await api.get(resource.clusterPath);
    expect(list.json.items.map(({ metadata }) => metadata.name)).toEqual([name]);
    const inside = await api.get(`/apis/${resource.apiVersion}/namespaces/default/widgets`);
    expect(inside.text).toBe('404 page not found\n');
    await resource.remove();
  });
});

describe('a custom resource', () => {
  test('has its keys sorted at every level', async ({ ns, widgets }) => {
    const body = `{"kind":"Widget","apiVersion":"${widgets.apiVersion}","spec":{"size":5,"free":{"z":{"y":1,"x":[{"b":1,"a":2}]},"a":"<&>"},"color":"red"},"metadata":{"name":"w","labels":{"z":"1","a":"2"}}}`;
    const response = await ns.api.request('POST', widgets.pathIn(ns), { body });
    const { creationTimestamp, resourceVersion, uid } = response.json.metadata;
    expect(response.status).toBe(201);
    expect(response.text).toBe(
      `{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"creationTimestamp":"${creationTimestamp}","generation":1,"labels":{"a":"2","z":"1"},"managedFields":[{"apiVersion":"${widgets.apiVersion}","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{},"f:z":{}}},"f:spec":{".":{},"f:color":{},"f:free":{".":{},"f:a":{},"f:z":{".":{},"f:x":{},"f:y":{}}},"f:mode":{},"f:size":{}}},"manager":"conformance","operation":"Update","time":"${creationTimestamp}"}],"name":"w","namespace":"${ns.name}","resourceVersion":"${resourceVersion}","uid":"${uid}"},"spec":{"color":"red","free":{"a":"\\u003c\\u0026\\u003e","z":{"x":[{"a":2,"b":1}],"y":1}},"mode":"auto","size":5}}\n`,
    );
    expect((await ns.api.get(widgets.pathIn(ns, 'w'))).text).toBe(response.text);
  });

  test('keeps integers beyond 2^53', async ({ ns, widgets }) => {
    const body = `{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"name":"w"},"spec":{"size":9007199254740993}}`;
    await ns.api.request('POST', widgets.pathIn(ns), { body });
    const watch = await ns.watch(widgets.pathIn(ns));
    expect((await watch.next()).line).toContain('"size":9007199254740993');
    expect((await ns.api.get(widgets.pathIn(ns, 'w'))).text).toContain('"size":9007199254740993');
    expect((await ns.api.get(widgets.pathIn(ns))).text).toContain('"size":9007199254740993');
  });

  test('gets defaults, and loses unknown fields with a warning', async ({ ns, widgets }) => {
    const body = widgets.widget('w', { spec: { nope: 1 } });
    const response = await ns.api.request('POST', widgets.pathIn(ns), { body });
    expect(response.headers['warning']).toBe('299 - "unknown field \\"spec.nope\\""');
    expect(response.json.spec).toEqual({ mode: 'auto' });
  });

  test('is validated against its schema', async ({ ns, widgets }) => {
    const body = widgets.widget('w', { spec: { color: 7 } });
    expectStatus(
      await ns.api.request('POST', widgets.pathIn(ns), { body }),
      invalid('Widget', widgets.group, 'w', [
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "integer": spec.color in body must be of type string: "integer"',
          field: 'spec.color',
        },
      ]),
    );
  });

  test('needs a resourceVersion in a PUT', async ({ ns, widgets, minor }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const response = await ns.api.request('PUT', widgets.pathIn(ns, 'w'), { body: widgets.widget('w') });
    expectStatus(
      response,
      invalid('widgets', widgets.group, 'w', [
        {
          reason: 'FieldValueInvalid',
          message: missingVersion(minor),
          field: 'metadata.resourceVersion',
        },
      ]),
    );
  });

  test('is named plural.group in errors and in the response of a DELETE', async ({ ns, widgets }) => {
    const created = await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const path = widgets.pathIn(ns, 'w');
    await ns.change(path, { spec: { color: 'red' } });
    const details = { name: 'w', group: widgets.group, kind: 'widgets' };
    expectStatus(await ns.api.request('PUT', path, { body: created }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on widgets.${widgets.group} "w": the object has been modified; please apply your changes to the latest version and try again`,
      details,
    });
    const deleted = await ns.delete(path);
    expect(deleted.json).toMatchObject({
      status: 'Success',
      details: { ...details, uid: created.metadata.uid },
    });
    expectStatus(await ns.api.get(path), {
      code: 404,
      reason: 'NotFound',
      message: `widgets.${widgets.group} "w" not found`,
      details,
    });
  });

  test('increments its generation with the spec, not with metadata', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    expect((await ns.change(path, { metadata: { labels: { l: '1' } } })).metadata.generation).toBe(1);
    expect((await ns.change(path, { spec: { color: 'red' } })).metadata.generation).toBe(2);
  });

  test('requires kind and apiVersion', async ({ ns, widgets }) => {
    const response = await ns.api.request('POST', widgets.pathIn(ns), { body: { metadata: { name: 'w' } } });
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
  });

  test('is a 404 in plain text in an unknown version or under an unknown plural', async ({
    api,
    widgets,
  }) => {
    for (const path of [`/apis/${widgets.group}/v2/widgets`, `/apis/${widgets.apiVersion}/gadgets`]) {
      const response = await api.get(path);
      expect([response.status, response.text]).toEqual([404, '404 page not found\n']);
    }
  });
});

describe('a list of custom resources', () => {
  test('has sorted keys: metadata comes after items, with an empty continue', async ({ ns, widgets }) => {
    const created = await ns.api.request('POST', widgets.pathIn(ns), { body: widgets.widget('w') });
    const response = await ns.api.get(widgets.pathIn(ns));
    const { resourceVersion } = response.json.metadata;
    expect(response.text).toBe(
      `{"apiVersion":"${widgets.apiVersion}","items":[${created.text.trimEnd()}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"${resourceVersion}"}}\n`,
    );
  });

  test('can be empty', async ({ ns, widgets }) => {
    const { text } = await ns.api.get(widgets.pathIn(ns));
    expect(text).toMatch(
      /^\{"apiVersion":"[^"]+","items":\[\],"kind":"WidgetList","metadata":\{"continue":"","resourceVersion":"\d+"\}\}\n$/,
    );
  });

  test('can be paged', async ({ ns, widgets }) => {
    for (const name of ['a', 'b', 'c']) await ns.createAt(widgets.pathIn(ns), widgets.widget(name));
    const first = await ns.api.get(widgets.pathIn(ns), { limit: 2 });
    const { continue: token, resourceVersion } = first.json.metadata;
    expect(first.text).toContain(
      `"kind":"WidgetList","metadata":{"continue":"${token}","remainingItemCount":1,"resourceVersion":"${resourceVersion}"}}\n`,
    );
    const last = await ns.api.get(widgets.pathIn(ns), { limit: 2, continue: token ?? '' });
    expect(last.json.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(last.json.metadata).toEqual({ continue: '', resourceVersion });
  });

  test('accepts selectable fields, and no others', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('a', { spec: { color: 'red' } }));
    await ns.createAt(widgets.pathIn(ns), widgets.widget('b', { spec: { color: 'blue' } }));
    const red = await ns.api.get(widgets.pathIn(ns), { fieldSelector: 'spec.color=red' });
    expect(red.json.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expectStatus(await ns.api.get(widgets.pathIn(ns), { fieldSelector: 'spec.size=1' }), {
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.size',
    });
  });

  test('as PartialObjectMetadataList is the same as for built-in kinds', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { spec: { color: 'red' } }));
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { text } = await ns.api.get(widgets.pathIn(ns), {}, { Accept: accept });
    expect(keyOrder(text)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
    expect(keyOrder(text, 'items', 0)).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(keyOrder(text, 'items', 0, 'metadata').slice(0, 3)).toEqual(['name', 'namespace', 'uid']);
  });

  test('is the response of deletecollection', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const response = await ns.delete(widgets.pathIn(ns));
    expect(response.json).toMatchObject({
      kind: 'WidgetList',
      items: [{ kind: 'Widget', metadata: { name: 'w' } }],
    });
  });
});
