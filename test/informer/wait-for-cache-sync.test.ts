import { describe, expect, it } from 'vitest';
import { waitForCacheSync } from '#dist/src/informer/wait-for-cache-sync.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

describe('waitForCacheSync', () => {
  it('resolves to true when all informers and handler registrations have synced', async () => {
    const h = new InformerHarness();
    const registration = h.informer.addEventHandler({});
    const waiting = waitForCacheSync([h.informer, registration]);
    await h.start([[entry('a', 1)], '1']);
    expect(await waiting).toBe(true);
    await h.informer.stop();
  });

  it('resolves to false when an informer is stopped before it has synced', async () => {
    const h = new InformerHarness();
    const waiting = waitForCacheSync([h.informer]);
    await h.informer.stop();
    expect(await waiting).toBe(false);
  });

  it('resolves to false when the signal is aborted before all have synced', async () => {
    const h = new InformerHarness();
    expect(await waitForCacheSync([h.informer], { signal: AbortSignal.abort() })).toBe(false);
  });
});
