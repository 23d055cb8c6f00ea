/** Cases that need more than a minute on a real server: each is started before all others, and returns a function that finishes it after them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerFixture } from './informer-fixture.js';
import { isExpired } from './recording-proxy.js';
import { watching } from './wire-cases.js';

/** Changes that expire from the history. */
const OLD_CHANGES = 10;

export type Finish = () => Promise<void>;

/** A watch that was down until the changes it missed had expired gets 410 Gone, and the informer relists. */
export async function beginForgottenHistory(fixture: InformerFixture): Promise<Finish> {
  const { api, history } = fixture.target;
  // A separate custom resource: every resource has its own history, and no other case may write to this one.
  const widgets = await CustomResource.define(api);
  const ns = await Sandbox.open(api);
  const change = (number: number) =>
    ns.change(widgets.pathIn(ns, 'changing'), { spec: { size: number, color: 'red' } });
  for (const name of ['changing', 'deleted']) await ns.create('widgets', widgets.widget(name));
  const proxy = await fixture.proxy();
  const { apiVersion } = widgets;
  const observed = fixture.start(
    { apiVersion, kind: 'Widget', plural: 'widgets', namespace: ns.name },
    proxy,
  );
  await observed.informer.synced;
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
    expect(observed.informer.lister.get(`${ns.name}/deleted`)).toBeDefined();
    proxy.cut();
    await fixture.caughtUp(observed, metadata.resourceVersion);
    expect(proxy.of('watch').filter(isExpired)).toHaveLength(1);
    expect(proxy.of('list')).toHaveLength(2);
    expect(await fixture.expectExact(observed)).toBe(2);
    await ns.close();
    await widgets.remove();
  };
}

/** A watch without events advances with bookmarks, and resumes from the last one when it is cut. */
export async function beginBookmarks(fixture: InformerFixture): Promise<Finish> {
  const { api, bookmarkMs } = fixture.target;
  const widgets = await CustomResource.define(api);
  const ns = await Sandbox.open(api);
  const elsewhere = await Sandbox.open(api);
  await ns.create('widgets', widgets.widget('quiet'));
  const proxy = await fixture.proxy();
  const { apiVersion } = widgets;
  const observed = fixture.start(
    { apiVersion, kind: 'Widget', plural: 'widgets', namespace: ns.name },
    proxy,
  );
  await observed.informer.synced;
  await watching(proxy, 1);
  const { metadata } = await elsewhere.create('widgets', widgets.widget('other'));
  return async () => {
    await fixture.caughtUp(observed, metadata.resourceVersion, bookmarkMs + 10_000);
    const [first] = proxy.of('watch');
    expect(first?.body()).toMatch(/^\{"type":"BOOKMARK"/);
    expect(observed.fold.notifications).toBe(1);
    const version = observed.informer.lastStoreSyncResourceVersion;
    proxy.cut();
    await watching(proxy, 2);
    expect(Number(proxy.of('watch')[1]?.query['resourceVersion'])).toBeGreaterThanOrEqual(Number(version));
    expect(proxy.of('list')).toHaveLength(1);
    expect(await fixture.expectExact(observed)).toBe(1);
    await Promise.all([ns.close(), elsewhere.close()]);
    await widgets.remove();
  };
}
