/** How informers behave while an API server fails or is very busy. */

import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Churn } from './churn.js';
import { InformerFixture, type ObservedInformer } from './informer-fixture.js';
import type { FailingTarget } from './informer-target.js';

const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const ALL_PODS = '/api/v1/pods';

export interface OutageSuiteOptions {
  readonly pods: number;
  /** Further cases of the target, on the server with those pods. */
  readonly more?: (fixture: () => InformerFixture<FailingTarget>) => void;
}

export function describeOutages(
  name: string,
  open: () => Promise<FailingTarget>,
  { pods, more }: OutageSuiteOptions,
): void {
  describe(name, () => {
    let fixture: InformerFixture<FailingTarget>;

    beforeAll(async () => {
      const target = await open();
      fixture = new InformerFixture(target);
      await target.fillPods(pods);
      return () => fixture.close();
    });
    afterEach(() => fixture.leave());

    test.each([pods])(
      'the caches of %i changing pods equal the server object by object, in every list mode',
      async () => {
        const churn = await Churn.start(fixture.target.api, ALL_PODS);
        const observedInformers = (['paged', 'stream', 'full'] as const).map((list) =>
          fixture.start({ ...PODS, list }),
        );
        await Promise.all(observedInformers.map(({ informer }) => informer.synced));
        await churn.made(pods / 10);
        const version = await churn.end();
        for (const observed of observedInformers) {
          await fixture.caughtUp(observed, version);
          expect(await fixture.expectExact(observed)).toBe(pods);
        }
        expect(fixture.errors).toEqual([]);
      },
    );

    test.each(['crash', 'shutdown'] as const)(
      'a %s of the API server during a watch loses no event',
      async (how) => {
        const namespace = await aNamespace();
        const observed = fixture.start({ ...PODS, namespace });
        await observed.informer.synced;
        const churn = await Churn.start(fixture.target.api, observed.path);
        await churn.made(50);
        await fixture.target.restart(how);
        await churn.made(50);
        await fixture.caughtUp(observed, await churn.end());
        await fixture.expectExact(observed);
      },
    );

    test.each(['paged', 'stream'] as const)(
      'a list in mode %s completes after a crash of the API server',
      async (list) => {
        const observed = fixture.start({ ...PODS, list, pageSize: 100 });
        await received(observed, pods / 20);
        expect(observed.informer.hasSynced).toBe(false);
        await fixture.target.restart('crash');
        await observed.informer.synced;
        // Not always all pods: a change that an earlier crash interrupted may have left a pod deleted.
        expect(await fixture.expectExact(observed)).toBeGreaterThan(pods * 0.99);
        expect(observed.stats().relists).toBeGreaterThan(0);
      },
    );

    more?.(() => fixture);

    async function aNamespace(): Promise<string> {
      const { json } = await fixture.target.api.get(ALL_PODS, { limit: 1 });
      return json.items[0]?.metadata.namespace ?? '';
    }
  });
}

/** Waits until `count` objects of a list have been received. */
export async function received({ stats }: ObservedInformer, count: number): Promise<void> {
  await vi.waitFor(
    () => {
      const { listed, events } = stats();
      expect(listed + events).toBeGreaterThanOrEqual(count);
    },
    { timeout: 30_000, interval: 2 },
  );
}
