import type { InformerOptions } from 'kubeflect';
import { describe, expect, test } from 'vitest';
import type { ListMode } from '#dist/src/engine/informer-options.js';
import type { CustomResource } from '../../conformance/harness/custom-resource.js';
import { kindNamed } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerFixture } from './informer-fixture.js';

const MODES: readonly ListMode[] = ['auto', 'paged', 'full', 'stream'];
const COUNT = 12;
const PAGE = 5;

/** A kind, and how to create an object of it. */
interface Subject {
  readonly options: Pick<InformerOptions, 'apiVersion' | 'kind' | 'plural'>;
  readonly manifest: (name: string, namespace: string) => Record<string, unknown>;
}

function builtIn(name: string): Subject {
  const { kind, apiVersion, plural, minimal } = kindNamed(name);
  return { options: { kind, apiVersion, plural }, manifest: minimal };
}

/** A list and changes, in every list mode, of built-in and custom resources. */
export function describeListAndWatch(fixture: () => InformerFixture, widgets: () => CustomResource): void {
  const subjects: Record<string, () => Subject> = {
    pods: () => builtIn('Pod'),
    deployments: () => builtIn('Deployment'),
    'custom resources': () => ({
      options: { kind: 'Widget', plural: 'widgets', apiVersion: widgets().apiVersion },
      manifest: (name) => widgets().widget(name, { spec: { color: 'red', free: { a: [1, null, 'ü'] } } }),
    }),
  };
  const cases = Object.keys(subjects).flatMap((name) => MODES.map((list) => ({ name, list })));

  describe('an informer', () => {
    test.each(cases)('lists and watches $name with list mode $list', ({ name, list }) =>
      listAndWatch(subjects[name]!(), { list }),
    );

    test.each(['pods', 'custom resources'])('lists and watches only the metadata of %s', (name) =>
      listAndWatch(subjects[name]!(), { metadataOnly: true }),
    );

    test('lists and watches custom resources without the kind option', () => {
      const { options, manifest } = subjects['custom resources']!();
      const { kind: _, ...rest } = options;
      return listAndWatch({ options: rest, manifest }, {});
    });
  });

  async function listAndWatch(
    { options, manifest }: Subject,
    more: Pick<InformerOptions, 'list' | 'metadataOnly'>,
  ): Promise<void> {
    const ns = await Sandbox.open(fixture().target.api);
    try {
      const { plural, apiVersion } = options;
      const create = (name: string) => ns.create(plural, manifest(name, ns.name));
      for (let i = 0; i < COUNT; i++) await create(`object-${i}`);
      const observed = fixture().start({ ...options, namespace: ns.name, pageSize: PAGE, ...more });
      await observed.informer.synced;
      expect(await fixture().expectExact(observed)).toBe(COUNT);

      await ns.change(ns.path(plural, 'object-3', apiVersion), { metadata: { labels: { changed: 'yes' } } });
      await ns.delete(ns.path(plural, 'object-4', apiVersion), { query: { gracePeriodSeconds: 0 } });
      const { metadata } = await create('object-new');
      await fixture().caughtUp(observed, metadata.resourceVersion);
      expect(await fixture().expectExact(observed)).toBe(COUNT);
      expect(observed.informer.lister.get(`${ns.name}/object-4`)).toBeUndefined();
      expect(observed.informer.lister.get(`${ns.name}/object-3`)).toMatchObject({
        metadata: { labels: { changed: 'yes' } },
      });
      expect(fixture().errors).toEqual([]);
    } finally {
      await ns.close();
    }
  }
}
