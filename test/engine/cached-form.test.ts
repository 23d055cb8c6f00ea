import {
  V1ConfigMap,
  V1NetworkPolicy,
  V1NetworkPolicyIngressRule,
  V1ObjectMeta,
} from '@kubernetes/client-node';
import type { InformerOptions, KubernetesObject } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cachedForm } from '#dist/src/engine/cached-form.js';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';
import { CONFIG_MAPS, EngineFixture, PODS } from '../support/engine/engine-fixture.js';

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
});
afterAll(() => world.close());
afterEach(() => world.closeEngines());

const formOf = (options: InformerOptions, object: KubernetesObject): KubernetesObject | undefined =>
  cachedForm(resolveInformerOptions(options))(object);

describe('the cached form of an object that the API answered', () => {
  it.each<[string, Partial<InformerOptions>]>([
    ['as it is', {}],
    [
      'without dropped paths',
      { drop: ['metadata.managedFields', 'spec.containers', "metadata.labels['a.b/c']"] },
    ],
    ['with metadata only', { metadataOnly: true }],
    ['in JSON', { encoding: 'json' }],
  ])('equals what the watch brings, %s, also in its indexes', async (name, extra) => {
    const podName = name.replaceAll(/\W/g, '-').toLowerCase();
    const byName = { fieldSelector: `metadata.name=${podName}`, labelSelector: 'a.b/c in (d),!e' };
    const indexers = { byLabel: "metadata.labels['f']", byImage: 'spec.containers.image' };
    const options = { ...PODS, ...byName, indexers, ...extra };
    const created = await world.server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, namespace: 'default', labels: { 'a.b/c': 'd', f: 'g' } },
      spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
    } as never);
    const informer = world.engine().informer(options);
    informer.start();
    await informer.synced;
    const key = `default/${podName}`;
    const form = formOf(options, created);
    expect(form).toEqual(informer.lister.get(key));
    // The next write is shown under the same index values as the last one that the watch has brought.
    const stored = ['byLabel', 'byImage'].map((index) => informer.indexer.listIndexFuncValues(index));
    const metadata = { ...created.metadata, resourceVersion: `${created.metadata?.resourceVersion}0` };
    expect(informer.assume({ ...created, metadata } as KubernetesObject)).toBe(true);
    expect(informer.lister.get(key)?.metadata?.resourceVersion).toBe(metadata.resourceVersion);
    expect(['byLabel', 'byImage'].map((index) => informer.indexer.listIndexFuncValues(index))).toEqual(
      stored,
    );
  });

  it('of a model of client-node has dates as the API writes them, and no undefined fields', () => {
    const written = new V1ConfigMap();
    written.metadata = new V1ObjectMeta();
    Object.assign(written.metadata, { name: 'a', creationTimestamp: new Date('2026-11-18T10:00:00Z') });
    expect(formOf(CONFIG_MAPS, written)).toStrictEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', creationTimestamp: '2026-11-18T10:00:00Z' },
    });
  });

  it('of a model of client-node has the fields of the API, also where the model has other names', () => {
    const rule = new V1NetworkPolicyIngressRule();
    rule._from = [{ podSelector: { matchLabels: { app: 'shop' } } }];
    const written = new V1NetworkPolicy();
    Object.assign(written, { metadata: { name: 'a' }, spec: { podSelector: {}, ingress: [rule] } });
    const policies = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies' };
    expect(formOf(policies, written)).toMatchObject({
      spec: { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'shop' } } }] }] },
    });
  });

  it('is undefined if the selectors do not select the object', () => {
    const metadata = { name: 'a', labels: { color: 'red' } };
    const select = (selectors: Partial<InformerOptions>): unknown =>
      formOf({ ...CONFIG_MAPS, ...selectors }, { metadata });
    expect(select({ labelSelector: 'color=blue' })).toBeUndefined();
    expect(select({ fieldSelector: 'metadata.name!=a' })).toBeUndefined();
    expect(select({ labelSelector: 'color=red', fieldSelector: 'metadata.name=a' })).toBeDefined();
  });

  it('of another shard is neither shown nor waited for', async () => {
    const informers = [0, 1].map((index) =>
      world.engine().informer({ ...CONFIG_MAPS, shard: { index, of: 2 } }),
    );
    const metadata = { name: 'a', namespace: 'default', uid: 'any', resourceVersion: '1000000' };
    const shown = informers.map((informer) => informer.assume({ metadata }));
    expect(shown.filter(Boolean)).toHaveLength(1);
    expect(informers.map((informer) => informer.isCaughtUp('default/a'))).toEqual(shown.map((is) => !is));
  });

  it('of a shard that a ring gives to another process is neither shown nor waited for', () => {
    const metadata = { name: 'a', namespace: 'default', uid: 'any', resourceVersion: '1000000' };
    const ring = {
      shards: 2,
      wanted: undefined as readonly number[] | undefined,
      start: () => {},
      attach: () => () => {},
      changed: () => {},
    };
    const informer = world.engine().informer({ ...CONFIG_MAPS, ring });
    const shownWith = (wanted: readonly number[]): boolean => {
      ring.wanted = wanted;
      return informer.assume({ metadata });
    };
    expect([[0], [1]].map(shownWith).filter(Boolean)).toHaveLength(1);
    expect(shownWith([])).toBe(false);
  });

  it('is an error for an object of another type, and for an informer with hooks', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
    expect(() => formOf(CONFIG_MAPS, secret)).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OBJECT_INVALID' }),
    );
    expect(() => formOf({ ...CONFIG_MAPS, hooks: '/hooks.mjs' }, { metadata: { name: 'a' } })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
    );
  });
});
