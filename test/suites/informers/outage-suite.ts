/** What informers must do while an API server fails, or is very busy. */

import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Churn } from './churn.js';
import { InformerScene, type Mirror } from './informer-scene.js';
import type { FailingTarget } from './informer-target.js';

const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const ALL_PODS = '/api/v1/pods';

export interface OutageSuiteOptions {
  readonly pods: number;
  /** Cases of the target's own, on a server that holds those pods. */
  readonly more?: (scene: () => InformerScene<FailingTarget>) => void;
}

export function describeOutages(
  name: string,
  open: () => Promise<FailingTarget>,
  { pods, more }: OutageSuiteOptions,
): void {
  describe(name, () => {
    let scene: InformerScene<FailingTarget>;

    beforeAll(async () => {
      const target = await open();
      scene = new InformerScene(target);
      await target.fillPods(pods);
      return () => scene.close();
    });
    afterEach(() => scene.leave());

    test.each([pods])(
      '%i pods that change are mirrored object by object, however they are listed',
      async () => {
        const churn = await Churn.start(scene.target.api, ALL_PODS);
        const mirrors = (['paged', 'stream', 'full'] as const).map((list) => scene.start({ ...PODS, list }));
        await Promise.all(mirrors.map(({ informer }) => informer.synced));
        await churn.made(pods / 10);
        const version = await churn.end();
        for (const mirror of mirrors) {
          await scene.caughtUp(mirror, version);
          expect(await scene.expectExact(mirror)).toBe(pods);
        }
        expect(scene.errors).toEqual([]);
      },
    );

    test.each(['crash', 'shutdown'] as const)(
      'a %s of the API server in mid-watch loses nothing',
      async (how) => {
        const namespace = await aNamespace();
        const mirror = scene.start({ ...PODS, namespace });
        await mirror.informer.synced;
        const churn = await Churn.start(scene.target.api, mirror.path);
        await churn.made(50);
        await scene.target.restart(how);
        await churn.made(50);
        await scene.caughtUp(mirror, await churn.end());
        await scene.expectExact(mirror);
      },
    );

    test.each(['paged', 'stream'] as const)(
      'a crash of the API server in the middle of a list that is %s is survived',
      async (list) => {
        const mirror = scene.start({ ...PODS, list, pageSize: 100 });
        await received(mirror, pods / 20);
        expect(mirror.informer.hasSynced).toBe(false);
        await scene.target.restart('crash');
        await mirror.informer.synced;
        // All that the server has: a change that an earlier crash cut short may have left a pod deleted.
        expect(await scene.expectExact(mirror)).toBeGreaterThan(pods * 0.99);
        expect(mirror.stats().relists).toBeGreaterThan(0);
      },
    );

    more?.(() => scene);

    async function aNamespace(): Promise<string> {
      const { json } = await scene.target.api.get(ALL_PODS, { limit: 1 });
      return json.items[0]?.metadata.namespace ?? '';
    }
  });
}

/** Waits until so many objects of a list have arrived. */
export async function received({ stats }: Mirror, count: number): Promise<void> {
  await vi.waitFor(
    () => {
      const { listed, events } = stats();
      expect(listed + events).toBeGreaterThanOrEqual(count);
    },
    { timeout: 30_000, interval: 2 },
  );
}
