import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  STREAMS,
  StreamedCollection,
  selectorOf,
  unfiltering,
} from '../support/engine/streamed-collection.js';

describe('a collection that several streams list', () => {
  let collection: StreamedCollection;

  beforeAll(async () => {
    collection = await StreamedCollection.start();
  });
  afterEach(() => collection.closeEngines());
  afterAll(() => collection.close());

  it('fails, and is listed again, if one of the streams cannot be had', async () => {
    const id = await collection.world.server.faults.add({
      match: { verb: 'list', query: { shardSelector: selectorOf(3) } },
      fault: { type: 'status', code: 403, reason: 'Forbidden' },
    });
    const started = collection.start();
    await expect.poll(() => collection.world.faults.length).toBeGreaterThan(0);
    expect(collection.world.faults[0]?.code).toBe('KUBEFLECT_LIST_FAILED');
    expect(started.informer.hasSynced).toBe(false);
    await collection.world.server.faults.remove(id);
    await started.informer.synced;
    expect(started.streams()?.used).toBe(STREAMS);
    await collection.follows(started);
  });

  it('is listed at a newer version if the server does not have the first one any more', async () => {
    await collection.world.server.faults.add({
      match: { verb: 'list', query: { shardSelector: selectorOf(1) } },
      fault: { type: 'status', code: 410, reason: 'Expired' },
      count: 1,
    });
    const started = collection.start();
    await started.informer.synced;
    expect(started.streams()?.used).toBe(STREAMS);
    await collection.follows(started);
    expect(collection.world.faults).toEqual([]);
  });

  it('is listed by one stream if the server keeps no version for long enough', async () => {
    await collection.world.server.faults.add({
      match: { verb: 'list', query: { shardSelector: selectorOf(1) } },
      fault: { type: 'status', code: 410, reason: 'Expired' },
    });
    const started = collection.start();
    await started.informer.synced;
    expect(started.streams()).toEqual({ of: STREAMS, used: 1, reason: 'expired' });
    await collection.follows(started);
    expect(collection.world.faults).toEqual([]);
  });

  it('is listed again by several streams after 410 Gone', async () => {
    const started = collection.start();
    await started.informer.synced;
    await collection.world.server.faults.add({
      match: { verb: 'watch' },
      fault: { type: 'errorEvent', code: 410, reason: 'Expired' },
      count: 1,
    });
    await collection.world.server.closeWatches();
    await expect
      .poll(() => started.engine.stats().informers[0]?.relists, { timeout: 15_000 })
      .toBeGreaterThan(0);
    await expect.poll(() => started.streams()?.used).toBe(STREAMS);
    await collection.follows(started);
    expect(collection.world.faults).toEqual([]);
  });

  it('is listed by one stream if one of several API servers does not filter', async () => {
    const proxy = await unfiltering(collection.world.server.url, selectorOf(2));
    const started = collection.start({ url: proxy.url });
    await started.informer.synced;
    expect(started.streams()).toEqual({ of: STREAMS, used: 1, reason: 'not-filtered' });
    await collection.follows(started);
    expect(collection.world.faults).toEqual([]);
    await started.engine.close();
    proxy.close();
  });
});
