import type { InformerOptions } from 'kubeflect';
import { describe, expect, test } from 'vitest';
import type { ListMode } from '#dist/src/engine/informer-options.js';
import type { CustomResource } from '../../conformance/harness/custom-resource.js';
import { kindNamed } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerScene } from './informer-scene.js';

const MODES: readonly ListMode[] = ['auto', 'paged', 'full', 'stream'];
const COUNT = 12;
const PAGE = 5;

/** A kind, and how to write one of it. */
interface Subject {
  readonly options: Pick<InformerOptions, 'apiVersion' | 'kind' | 'plural'>;
  readonly manifest: (name: string, namespace: string) => Record<string, unknown>;
}

function builtIn(name: string): Subject {
  const { kind, apiVersion, plural, minimal } = kindNamed(name);
  return { options: { kind, apiVersion, plural }, manifest: minimal };
}

/** Lists, then changes, in every way to list, of typed and of custom resources. */
export function describeMirrors(scene: () => InformerScene, widgets: () => CustomResource): void {
  const subjects: Record<string, () => Subject> = {
    pods: () => builtIn('Pod'),
    deployments: () => builtIn('Deployment'),
    'custom resources': () => ({
      options: { kind: 'Widget', plural: 'widgets', apiVersion: widgets().apiVersion },
      manifest: (name) => widgets().widget(name, { spec: { color: 'red', free: { a: [1, null, 'ü'] } } }),
    }),
  };
  const cases = Object.keys(subjects).flatMap((name) => MODES.map((list) => ({ name, list })));

  describe('an informer mirrors', () => {
    test.each(cases)('$name, listed as $list', ({ name, list }) => mirror(subjects[name]!(), { list }));

    test.each(['pods', 'custom resources'])('only the metadata of %s', (name) =>
      mirror(subjects[name]!(), { metadataOnly: true }),
    );

    test('custom resources without being told their kind', () => {
      const { options, manifest } = subjects['custom resources']!();
      const { kind: _, ...rest } = options;
      return mirror({ options: rest, manifest }, {});
    });
  });

  async function mirror(
    { options, manifest }: Subject,
    more: Pick<InformerOptions, 'list' | 'metadataOnly'>,
  ): Promise<void> {
    const ns = await Sandbox.open(scene().target.api);
    try {
      const { plural, apiVersion } = options;
      const create = (name: string) => ns.create(plural, manifest(name, ns.name));
      for (let i = 0; i < COUNT; i++) await create(`object-${i}`);
      const mirrored = scene().start({ ...options, namespace: ns.name, pageSize: PAGE, ...more });
      await mirrored.informer.synced;
      expect(await scene().expectExact(mirrored)).toBe(COUNT);

      await ns.change(ns.path(plural, 'object-3', apiVersion), { metadata: { labels: { changed: 'yes' } } });
      await ns.delete(ns.path(plural, 'object-4', apiVersion), { query: { gracePeriodSeconds: 0 } });
      const { metadata } = await create('object-new');
      await scene().caughtUp(mirrored, metadata.resourceVersion);
      expect(await scene().expectExact(mirrored)).toBe(COUNT);
      expect(mirrored.informer.lister.get(`${ns.name}/object-4`)).toBeUndefined();
      expect(mirrored.informer.lister.get(`${ns.name}/object-3`)).toMatchObject({
        metadata: { labels: { changed: 'yes' } },
      });
      expect(scene().errors).toEqual([]);
    } finally {
      await ns.close();
    }
  }
}
