import { describe, expect, it } from 'vitest';
import type { InformerEvent } from '#dist/src/informer/handlers/event-stream.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry, type Pod } from '../support/objects/entries.js';

function text(event: InformerEvent<Pod>): string {
  if (event.type === 'synced') return 'synced';
  const flag =
    (event.type === 'add' && event.isInInitialList && '*') ||
    (event.type === 'delete' && event.finalStateUnknown && '?') ||
    '';
  return `${event.type}${flag} ${event.entry.name}@${event.entry.resourceVersion}`;
}

function collect(h: InformerHarness, signal?: AbortSignal): { events: string[]; done: Promise<void> } {
  const events: string[] = [];
  const done = (async () => {
    for await (const event of h.informer.events(signal ? { signal } : {})) events.push(text(event));
  })();
  return { events, done };
}

describe('events()', () => {
  it('yields the initial list, synced once, and every change after it', async () => {
    const h = new InformerHarness();
    const { events, done } = collect(h);
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    h.store.update(entry('a', 3));
    await h.clock.drain();
    h.store.replace([entry('a', 4)], '4');
    await h.clock.drain();
    expect(events).toEqual(['add* a@1', 'add* b@2', 'synced', 'update a@3', 'delete? b@2', 'update a@4']);
    await h.informer.stop();
    await done;
  });

  it('yields synced for an empty list, and to consumers that are added late', async () => {
    const h = new InformerHarness();
    const early = collect(h);
    await h.start([[], '1']);
    const late = collect(h);
    await h.clock.drain();
    expect([early.events, late.events]).toEqual([['synced'], ['synced']]);
    await h.informer.stop();
    await Promise.all([early.done, late.done]);
  });

  it('ends silently with a signal, with the informer, and when the loop is left', async () => {
    const h = new InformerHarness();
    const abort = new AbortController();
    const aborted = collect(h, abort.signal);
    const stopped = collect(h);
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    const left = (async () => {
      for await (const event of h.informer.events()) {
        if (text(event) === 'add* a@1') break;
      }
    })();
    await h.clock.drain();
    await left;
    abort.abort();
    await aborted.done;
    h.store.add(entry('c', 3));
    await h.clock.drain();
    expect(aborted.events).toEqual(['add* a@1', 'add* b@2', 'synced']);
    await h.informer.stop();
    await stopped.done;
    expect(stopped.events.at(-1)).toBe('add c@3');
    expect(h.errors).toEqual([]);
    expect(await h.informer.events().next()).toEqual({ done: true, value: undefined });
    expect(await h.informer.events({ signal: AbortSignal.abort() }).next()).toEqual({
      done: true,
      value: undefined,
    });
  });

  it('is bounded and merges by key when the loop is slow', async () => {
    const h = new InformerHarness();
    await h.start([[entry('a', 1)], '1']);
    const events = h.informer.events();
    await h.clock.drain();
    for (let i = 2; i < 20_000; i++) h.store.update(entry(`k${i % 5}`, i));
    await h.clock.drain();
    const seen: string[] = [];
    const loop = (async () => {
      for await (const event of events) seen.push(text(event));
    })();
    await h.clock.drain();
    expect(seen.length).toBeLessThan(1100);
    expect(seen.slice(-5).map((line) => line.split('@')[1])).toEqual(expect.arrayContaining(['19999']));
    await h.informer.stop();
    await loop;
  });

  it('serves concurrent calls of next in order', async () => {
    const h = new InformerHarness();
    const events = h.informer.events();
    const answers = [events.next(), events.next(), events.next()];
    await h.start([[entry('a', 1)], '1']);
    h.store.add(entry('b', 2));
    await h.clock.drain();
    const values = await Promise.all(answers);
    expect(values.map((answer) => answer.value && text(answer.value))).toEqual([
      'add* a@1',
      'synced',
      'add b@2',
    ]);
    await h.informer.stop();
  });

  it('yields to the event loop even if all events are queued already', async () => {
    const h = new InformerHarness({ itemsPerSlice: 100 });
    await h.start([Array.from({ length: 1000 }, (_, i) => entry(`p${i}`, i + 1)), '1000']);
    const turns = h.clock.turns;
    const { events, done } = collect(h);
    await h.clock.drain();
    expect(events).toHaveLength(1001);
    expect(h.clock.turns - turns).toBeGreaterThanOrEqual(20);
    await h.informer.stop();
    await done;
  });
});
