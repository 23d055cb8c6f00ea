import type { InformerOptions } from 'kubeflect';
import { describe, expect, test } from 'vitest';
import type { CustomResource } from '../../conformance/harness/custom-resource.js';
import { configMap, pod } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerFixture, ObservedInformer } from './informer-fixture.js';

/** Objects that enter and leave a selection by changing. */
export function describeSelectors(fixture: () => InformerFixture, widgets: () => CustomResource): void {
  describe('an informer with a selector', () => {
    test.each(['paged', 'full', 'stream'] as const)(
      'on labels follows objects into and out of the selection, with list mode %s',
      (list) =>
        inSandbox(async (ns) => {
          const path = (name: string) => ns.path('configmaps', name);
          const colored = (color: string) => ({ metadata: { labels: { color } } });
          for (const color of ['red', 'blue'])
            await ns.create('configmaps', configMap(color, colored(color)));
          const observed = start(ns, {
            ...{ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
            ...{ labelSelector: 'color in (red, green)', list },
          });
          await observed.informer.synced;
          expect(keys(observed)).toEqual(['red']);

          await changed(observed, ns.change(path('blue'), colored('green')), ['blue', 'red']);
          await changed(observed, ns.change(path('blue'), colored('red')), ['blue', 'red']);
          await changed(observed, ns.change(path('red'), colored('blue')), ['blue']);
          await changed(observed, ns.change(path('red'), { data: { unseen: 'yes' } }), ['blue'], 'unseen');
          await changed(observed, ns.change(path('red'), colored('red')), ['blue', 'red']);
          expect(observed.fold.known.size).toBe(2);
        }),
    );

    test('on a field of pods follows objects into and out of the selection', () =>
      inSandbox(async (ns) => {
        const phase = (name: string, to: string) =>
          ns.change(`${ns.path('pods', name)}/status`, { status: { phase: to } });
        for (const name of ['one', 'two']) await ns.create('pods', pod(name));
        const options = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
        const observed = start(ns, { ...options, fieldSelector: 'status.phase=Running' });
        await observed.informer.synced;
        expect(keys(observed)).toEqual([]);
        await changed(observed, phase('one', 'Running'), ['one']);
        await changed(observed, phase('two', 'Running'), ['one', 'two']);
        await changed(observed, phase('one', 'Succeeded'), ['two']);
      }));

    test('on a field of custom resources follows objects into and out of the selection', () =>
      inSandbox(async (ns) => {
        const { apiVersion } = widgets();
        const path = (name: string) => ns.path('widgets', name, apiVersion);
        const red = { spec: { color: 'red' } };
        for (const name of ['one', 'two']) await ns.create('widgets', widgets().widget(name, red));
        const options = { apiVersion, kind: 'Widget', plural: 'widgets' };
        const observed = start(ns, { ...options, fieldSelector: 'spec.color=blue' });
        await observed.informer.synced;
        await changed(observed, ns.change(path('one'), { spec: { color: 'blue' } }), ['one']);
        await changed(observed, ns.change(path('one'), red), []);
      }));
  });

  function start(ns: Sandbox, options: InformerOptions): ObservedInformer {
    return fixture().start({ ...options, namespace: ns.name });
  }

  function keys({ informer }: ObservedInformer): string[] {
    return informer.lister
      .entries()
      .map(({ name }) => name)
      .sort();
  }

  /** `unseen`: the change is outside the selection, so that no event tells the informer its version. */
  async function changed(
    observed: ObservedInformer,
    change: Promise<{ metadata: { resourceVersion: string } }>,
    expected: string[],
    unseen?: 'unseen',
  ): Promise<void> {
    const { metadata } = await change;
    if (unseen === undefined) await fixture().caughtUp(observed, metadata.resourceVersion);
    expect(keys(observed)).toEqual(expected);
    await fixture().expectExact(observed);
  }

  async function inSandbox(run: (ns: Sandbox) => Promise<void>): Promise<void> {
    const ns = await Sandbox.open(fixture().target.api);
    try {
      await run(ns);
    } finally {
      await ns.close();
    }
  }
}
