/** Server-side apply to what has structure: lists, statuses, custom resources. */

import { describe, expect } from 'vitest';
import { accepted, apply, conflict, owners } from '../harness/apply.js';
import { test } from '../harness/case.js';
import { expectStatus } from '../harness/expect-status.js';
import { configMap, deployment, type KubeObject, type Manifest, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

describe('an apply to lists', () => {
  const path = (ns: Sandbox): string => ns.path('deployments', 'a', 'apps/v1');
  const withContainers = (containers: unknown[], more: Manifest = {}): Manifest =>
    deployment('a', {
      spec: { template: { metadata: { labels: { app: 'x' } }, spec: { containers, ...more } } },
    });
  const containersOf = (object: KubeObject): Record<string, unknown>[] =>
    (object.spec as { template: { spec: { containers: Record<string, unknown>[] } } }).template.spec
      .containers;

  test('merges items by their keys, fields by their owners', async ({ ns }) => {
    const a = { name: 'a', image: 'a:1' };
    const b = { name: 'b', image: 'b:1' };
    const c = { name: 'c', image: 'c:1' };
    const env = [{ name: 'E', value: '1' }];
    accepted(await apply(ns, path(ns), withContainers([a, { ...b, tty: true }])));
    const body = withContainers([{ ...b, env }, c]);
    const merged = accepted(await apply(ns, path(ns), body, { fieldManager: 'other' }));
    expect(containersOf(merged)).toMatchObject([a, { ...b, env, tty: true }, c]);
    const left = accepted(await apply(ns, path(ns), withContainers([a])));
    expect(containersOf(left)).toMatchObject([a, { ...b, env }, c]);
    expect(containersOf(left)[1]).not.toHaveProperty('tty');
  });

  test('keeps the applied order', async ({ ns }) => {
    const names = (order: string): Manifest =>
      withContainers([...order].map((name) => ({ name, image: 'i:1' })));
    accepted(await apply(ns, path(ns), names('abcd')));
    const moved = accepted(await apply(ns, path(ns), names('dcx'), { fieldManager: 'other', force: true }));
    expect(containersOf(moved).map(({ name }) => name)).toEqual(['a', 'b', 'd', 'c', 'x']);
  });

  test('reports a conflict by the keys of its item', async ({ ns }) => {
    accepted(
      await apply(
        ns,
        path(ns),
        withContainers([{ name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] }]),
      ),
    );
    const port = { containerPort: 80, name: 'web' };
    const own = withContainers([{ name: 'a', image: 'a:1', ports: [port] }]);
    accepted(await apply(ns, path(ns), own, { fieldManager: 'other' }));
    const body = withContainers([{ name: 'a', image: 'a:2', ports: [{ ...port, name: 'www' }] }]);
    expectStatus(
      await apply(ns, path(ns), body),
      conflict(
        ['"other"', '.spec.template.spec.containers[name="a"].image'],
        ['"other"', '.spec.template.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].name'],
      ),
    );
  });

  test('adds to a set, and removes only its own values', async ({ ns }) => {
    const finalizers = (...names: string[]): Manifest =>
      configMap('a', { metadata: { finalizers: names.map((name) => `kubeflect.dev/${name}`) } });
    const target = ns.path('configmaps', 'a');
    accepted(await apply(ns, target, finalizers('x', 'y')));
    const both = accepted(await apply(ns, target, finalizers('z', 'x'), { fieldManager: 'other' }));
    expect(both.metadata.finalizers).toEqual(['kubeflect.dev/z', 'kubeflect.dev/x', 'kubeflect.dev/y']);
    const left = accepted(await apply(ns, target, configMap('a')));
    expect(left.metadata.finalizers).toEqual(['kubeflect.dev/z', 'kubeflect.dev/x']);
  });

  test('owns an atomic list or struct completely', async ({ ns }) => {
    const args = (...list: string[]): Manifest => withContainers([{ name: 'a', image: 'a:1', args: list }]);
    accepted(await apply(ns, path(ns), args('x')));
    expectStatus(
      await apply(ns, path(ns), args('x', 'y'), { fieldManager: 'other' }),
      conflict(['"me"', '.spec.template.spec.containers[name="a"].args']),
    );
    const selected = withContainers([{ name: 'a', image: 'a:1' }], { nodeSelector: { disk: 'ssd' } });
    const { json } = await apply(ns, path(ns), selected);
    expect(JSON.stringify(owners(json))).toContain('"f:nodeSelector":{}');
  });
});

describe('an apply to a status', () => {
  const status = (ns: Sandbox): string => `${ns.path('pods', 'a')}/status`;
  const ready = (value: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    status: { conditions: [{ type: 'Ready', status: value }] },
  });

  test('owns the applied status, and leaves the spec unchanged', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const body = { ...ready('True'), spec: { activeDeadlineSeconds: 5 } };
    const applied = accepted(await apply(ns, status(ns), body));
    expect(applied.spec).not.toHaveProperty('activeDeadlineSeconds');
    expect(applied.status).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(owners(applied)[0]).toEqual([
      'me Apply status',
      {
        'f:status': {
          'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
        },
      },
    ]);
  });

  test('reports a conflict with the subresource', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    accepted(await apply(ns, status(ns), ready('True')));
    expectStatus(
      await apply(ns, status(ns), ready('False'), { fieldManager: 'other' }),
      conflict(['"me" with subresource "status"', '.status.conditions[type="Ready"].status']),
    );
  });

  test('of an object that does not exist is a 404', async ({ ns }) => {
    expectStatus(await apply(ns, status(ns), ready('True')), {
      code: 404,
      reason: 'NotFound',
      message: 'pods "a" not found',
      details: { name: 'a', kind: 'pods' },
    });
  });
});

describe('an apply of a custom resource', () => {
  test('creates, merges, removes and conflicts by its schema', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    const first = await apply(
      ns,
      path,
      widgets.widget('w', { spec: { color: 'red', free: { a: { b: 1 } } } }),
    );
    expect(first.status).toBe(201);
    expect(owners(first.json)).toEqual([
      ['me Apply', { 'f:spec': { 'f:color': {}, 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } } }],
    ]);
    expect(first.json.spec).toMatchObject({ mode: 'auto' });
    const body = widgets.widget('w', { spec: { color: 'blue', size: 1 } });
    expectStatus(await apply(ns, path, body, { fieldManager: 'other' }), conflict(['"me"', '.spec.color']));
    const second = accepted(await apply(ns, path, widgets.widget('w', { spec: { size: 2 } })));
    expect(second.spec).toEqual({ mode: 'auto', size: 2 });
  });

  test('merges sets and keyed lists', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    const body = (spec: Manifest): Manifest => widgets.widget('w', { spec });
    const first = body({ set: ['a', 'b'], keyed: [{ name: 'x', value: '1' }], whole: ['a'] });
    accepted(await apply(ns, path, first));
    const more = body({ set: ['c', 'a'], keyed: [{ name: 'y' }, { name: 'x', proto: 'UDP' }] });
    const merged = accepted(await apply(ns, path, more, { fieldManager: 'other' }));
    expect(merged.spec).toEqual({
      keyed: [
        { name: 'x', proto: 'TCP', value: '1' },
        { name: 'y', proto: 'TCP' },
        { name: 'x', proto: 'UDP' },
      ],
      mode: 'auto',
      set: ['c', 'a', 'b'],
      whole: ['a'],
    });
    expectStatus(
      await apply(ns, path, body({ whole: ['b'] }), { fieldManager: 'other' }),
      conflict(['"me"', '.spec.whole']),
    );
    const left = accepted(await apply(ns, path, body({ set: ['a'] })));
    expect(left.spec).toMatchObject({ set: ['c', 'a'] });
  });

  test('to its status owns no metadata as of 1.36', async ({ ns, widgets, minor }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const body = widgets.widget('w', { metadata: { labels: { no: '1' } }, status: { ready: true } });
    const applied = accepted(await apply(ns, `${widgets.pathIn(ns, 'w')}/status`, body));
    expect(applied.metadata).not.toHaveProperty('labels');
    const metadata = minor < 36 ? { 'f:metadata': { 'f:labels': { 'f:no': {} } } } : {};
    expect(owners(applied)[0]).toEqual(['me Apply status', { ...metadata, 'f:status': { 'f:ready': {} } }]);
  });

  test('is a 500 if it does not match the schema', async ({ ns, widgets }) => {
    const gvk = `${widgets.apiVersion}, Kind=Widget`;
    for (const [spec, message] of [
      [{ nope: 1 }, '.spec.nope: field not declared in schema'],
      [{ size: 'x' }, '.spec.size: expected numeric (int or float), got string'],
    ] as const) {
      expectStatus(await apply(ns, widgets.pathIn(ns, 'w'), widgets.widget('w', { spec })), {
        code: 500,
        message: `failed to create typed patch object (/w; ${gvk}): ${message}`,
      });
    }
  });
});
