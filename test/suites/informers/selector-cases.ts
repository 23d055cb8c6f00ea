import type { InformerOptions } from 'kubeflect';
import { describe, expect, test } from 'vitest';
import type { CustomResource } from '../../conformance/harness/custom-resource.js';
import { configMap, pod } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerScene, Mirror } from './informer-scene.js';

/** Objects that come into a selection and leave it by changing. */
export function describeSelectors(scene: () => InformerScene, widgets: () => CustomResource): void {
  describe('an informer with a selector', () => {
    test.each(['paged', 'full', 'stream'] as const)('by label, listed as %s', (list) =>
      inSandbox(async (ns) => {
        const path = (name: string) => ns.path('configmaps', name);
        const colored = (color: string) => ({ metadata: { labels: { color } } });
        for (const color of ['red', 'blue']) await ns.create('configmaps', configMap(color, colored(color)));
        const mirror = start(ns, {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
          ...{ labelSelector: 'color in (red, green)', list },
        });
        await mirror.informer.synced;
        expect(keys(mirror)).toEqual(['red']);

        await changed(mirror, ns.change(path('blue'), colored('green')), ['blue', 'red']);
        await changed(mirror, ns.change(path('blue'), colored('red')), ['blue', 'red']);
        await changed(mirror, ns.change(path('red'), colored('blue')), ['blue']);
        await changed(mirror, ns.change(path('red'), { data: { unseen: 'yes' } }), ['blue'], 'unseen');
        await changed(mirror, ns.change(path('red'), colored('red')), ['blue', 'red']);
        expect(mirror.fold.known.size).toBe(2);
      }),
    );

    test('by field of a pod', () =>
      inSandbox(async (ns) => {
        const phase = (name: string, to: string) =>
          ns.change(`${ns.path('pods', name)}/status`, { status: { phase: to } });
        for (const name of ['one', 'two']) await ns.create('pods', pod(name));
        const options = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
        const mirror = start(ns, { ...options, fieldSelector: 'status.phase=Running' });
        await mirror.informer.synced;
        expect(keys(mirror)).toEqual([]);
        await changed(mirror, phase('one', 'Running'), ['one']);
        await changed(mirror, phase('two', 'Running'), ['one', 'two']);
        await changed(mirror, phase('one', 'Succeeded'), ['two']);
      }));

    test('by field of a custom resource', () =>
      inSandbox(async (ns) => {
        const { apiVersion } = widgets();
        const path = (name: string) => ns.path('widgets', name, apiVersion);
        const red = { spec: { color: 'red' } };
        for (const name of ['one', 'two']) await ns.create('widgets', widgets().widget(name, red));
        const options = { apiVersion, kind: 'Widget', plural: 'widgets' };
        const mirror = start(ns, { ...options, fieldSelector: 'spec.color=blue' });
        await mirror.informer.synced;
        await changed(mirror, ns.change(path('one'), { spec: { color: 'blue' } }), ['one']);
        await changed(mirror, ns.change(path('one'), red), []);
      }));
  });

  function start(ns: Sandbox, options: InformerOptions): Mirror {
    return scene().start({ ...options, namespace: ns.name });
  }

  function keys({ informer }: Mirror): string[] {
    return informer.lister
      .entries()
      .map(({ name }) => name)
      .sort();
  }

  /** `unseen`: the change is none of the selection's, so no event says how far the mirror is. */
  async function changed(
    mirror: Mirror,
    change: Promise<{ metadata: { resourceVersion: string } }>,
    expected: string[],
    unseen?: 'unseen',
  ): Promise<void> {
    const { metadata } = await change;
    if (unseen === undefined) await scene().caughtUp(mirror, metadata.resourceVersion);
    expect(keys(mirror)).toEqual(expected);
    await scene().expectExact(mirror);
  }

  async function inSandbox(run: (ns: Sandbox) => Promise<void>): Promise<void> {
    const ns = await Sandbox.open(scene().target.api);
    try {
      await run(ns);
    } finally {
      await ns.close();
    }
  }
}
