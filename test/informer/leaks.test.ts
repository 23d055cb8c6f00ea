import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Notification } from '#dist/src/informer/handlers/notification.js';
import { NotificationQueue } from '#dist/src/informer/handlers/notification-queue.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry, type Pod } from '../support/objects/entries.js';
import { pinnedEntry } from '../support/objects/pinned-entry.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function isCollected(ref: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 10 && ref.deref() !== undefined; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return ref.deref() === undefined;
}

it('a removed handler is released, however early it was removed', async () => {
  const h = new InformerHarness();
  await h.start([[entry('a', 1)], '1']);
  const addAndRemove = async (isEarly: boolean): Promise<WeakRef<object>> => {
    const handler = { onAdd: () => {} };
    const registration = h.informer.addEventHandler(handler);
    if (!isEarly) await h.clock.drain();
    await registration.remove();
    await h.clock.drain();
    return new WeakRef(handler);
  };
  expect(await isCollected(await addAndRemove(false))).toBe(true);
  expect(await isCollected(await addAndRemove(true))).toBe(true);
  await h.informer.stop();
});

it('an event stream that was left is released, however early it was left', async () => {
  const h = new InformerHarness();
  await h.start([[entry('a', 1)], '1']);
  const openAndLeave = async (isEarly: boolean): Promise<WeakRef<object>> => {
    const events = h.informer.events();
    if (!isEarly) await h.clock.drain();
    await events.return?.();
    await h.clock.drain();
    return new WeakRef(events);
  };
  expect(await isCollected(await openAndLeave(false))).toBe(true);
  expect(await isCollected(await openAndLeave(true))).toBe(true);
  await h.informer.stop();
});

it('a queue that keeps merging releases deleted objects', async () => {
  const remove = (e: Pod | object): Notification<Pod> =>
    ({ type: 'delete', entry: e, before: e, finalStateUnknown: false }) as Notification<Pod>;
  const queue = new NotificationQueue<Pod>({ watermark: 0 });
  const steady = (): void => queue.push({ type: 'add', entry: entry('steady', 1), isInInitialList: false });
  const gone = (isToldFirst: boolean): WeakRef<object> => {
    const e = entry('gone', 2);
    queue.push(remove(e));
    queue.push({ type: 'add', entry: entry('gone', 3), isInInitialList: false });
    steady();
    if (isToldFirst) queue.shift();
    queue.push(remove(entry('gone', 4)));
    if (!isToldFirst) queue.shift();
    return new WeakRef(e);
  };
  for (const isToldFirst of [true, false]) {
    const ref = gone(isToldFirst);
    expect(queue.isMerging).toBe(true);
    expect(queue.length).toBe(1);
    expect(await isCollected(ref)).toBe(true);
    queue.clear();
  }
});

it.each(['a handler', 'an event stream'])('stopping %s leaves nothing pending', async (who) => {
  const count = 5000;
  const h = new InformerHarness();
  let release = (): void => {};
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  const events = h.informer.events();
  if (who === 'a handler') h.informer.addEventHandler({ onUpdate: () => stuck });
  const entries = Array.from({ length: count }, (_, i) => pinnedEntry(`p${i}`, i + 1));
  await h.start([entries, String(count)]);
  if (who === 'a handler') await events.return?.();
  else for (let i = 0; i < count; i++) void events.next();
  await h.clock.drain();
  for (let i = 0; i < count; i++) h.store.update(pinnedEntry(`p${i}`, count + i + 1));
  await h.clock.drain();
  const pins = (): number => entries.reduce((sum, { pins }) => sum + pins, 0);
  expect(pins()).toBeGreaterThanOrEqual(count - 1);
  let pinsWhenStopped = -1;
  const stopped = h.informer.stop().then(() => {
    pinsWhenStopped = pins();
  });
  release();
  await h.clock.drain();
  await stopped;
  expect(pinsWhenStopped).toBe(0);
});
