/** Cases for which a real server needs more than a minute: each is begun before all others, and what it returns finishes it after them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerScene } from './informer-scene.js';
import { isExpired } from './recording-proxy.js';
import { watching } from './wire-cases.js';

/** A few changes that the history is to forget. */
const OLD_CHANGES = 10;

export type Finish = () => Promise<void>;

/** A watch that was down until the changes it missed had left the server's history is told 410, and the collection is listed again. */
export async function beginForgottenHistory(scene: InformerScene): Promise<Finish> {
  const { api, history } = scene.target;
  // Of its own: a resource has one history, and nobody else may write to it.
  const widgets = await CustomResource.define(api);
  const ns = await Sandbox.open(api);
  const change = (number: number) =>
    ns.change(widgets.pathIn(ns, 'changing'), { spec: { size: number, color: 'red' } });
  for (const name of ['changing', 'deleted']) await ns.create('widgets', widgets.widget(name));
  const proxy = await scene.proxy();
  const { apiVersion } = widgets;
  const mirror = scene.start({ apiVersion, kind: 'Widget', plural: 'widgets', namespace: ns.name }, proxy);
  await mirror.informer.synced;
  await watching(proxy, 1);
  proxy.hold();
  await ns.delete(widgets.pathIn(ns, 'deleted'));
  for (let i = 0; i < OLD_CHANGES; i++) await change(i);
  const changedAt = performance.now();
  return async () => {
    // Until the server's history of the changes has expired.
    await sleep(Math.max(0, changedAt + history.ageMs + 1000 - performance.now()));
    for (let i = 0; i < history.events + 2 * OLD_CHANGES; i++) await change(i);
    const { metadata } = await ns.create('widgets', widgets.widget('new'));
    expect(mirror.informer.lister.get(`${ns.name}/deleted`)).toBeDefined();
    proxy.cut();
    await scene.caughtUp(mirror, metadata.resourceVersion);
    expect(proxy.of('watch').filter(isExpired)).toHaveLength(1);
    expect(proxy.of('list')).toHaveLength(2);
    expect(await scene.expectExact(mirror)).toBe(2);
    await ns.close();
    await widgets.remove();
  };
}

/** A watch on which nothing happens is moved on by bookmarks, and goes on from the last one when it is cut. */
export async function beginBookmarks(scene: InformerScene): Promise<Finish> {
  const { api, bookmarkMs } = scene.target;
  const widgets = await CustomResource.define(api);
  const ns = await Sandbox.open(api);
  const elsewhere = await Sandbox.open(api);
  await ns.create('widgets', widgets.widget('quiet'));
  const proxy = await scene.proxy();
  const { apiVersion } = widgets;
  const mirror = scene.start({ apiVersion, kind: 'Widget', plural: 'widgets', namespace: ns.name }, proxy);
  await mirror.informer.synced;
  await watching(proxy, 1);
  const { metadata } = await elsewhere.create('widgets', widgets.widget('other'));
  return async () => {
    await scene.caughtUp(mirror, metadata.resourceVersion, bookmarkMs + 10_000);
    const [first] = proxy.of('watch');
    expect(first?.body()).toMatch(/^\{"type":"BOOKMARK"/);
    expect(mirror.fold.notifications).toBe(1);
    const version = mirror.informer.lastStoreSyncResourceVersion;
    proxy.cut();
    await watching(proxy, 2);
    expect(Number(proxy.of('watch')[1]?.query['resourceVersion'])).toBeGreaterThanOrEqual(Number(version));
    expect(proxy.of('list')).toHaveLength(1);
    expect(await scene.expectExact(mirror)).toBe(1);
    await Promise.all([ns.close(), elsewhere.close()]);
    await widgets.remove();
  };
}
