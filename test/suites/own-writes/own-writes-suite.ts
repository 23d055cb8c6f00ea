/** How an informer sees the program's own writes, with any API server that a kubeconfig names. */

import type { InformerOptions, KubernetesObject, SharedInformer } from 'kubeflect';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configMap, pod } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import { InformerFixture } from '../informers/informer-fixture.js';
import type { InformerTarget } from '../informers/informer-target.js';
import type { RecordingProxy } from '../informers/recording-proxy.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

/** A watch that was cut comes back at once. */
const PROMPT = { reflector: { consistencyDetector: true, minReconnectIntervalMs: 1 } };

const PATIENCE = { timeoutMs: 30_000 };
const FINALIZER = 'example.com/wait';

/** An informer behind a proxy that holds back what the watch sends. */
interface Held {
  readonly informer: SharedInformer;
  readonly proxy: RecordingProxy;
  /** Something to be waited for was reported. The watch speaks; resolves when the informer has caught up. */
  speak(key: string): Promise<void>;
}

export function describeOwnWrites(name: string, open: () => Promise<InformerTarget>): void {
  describe(name, () => {
    let fixture: InformerFixture;
    let ns: Sandbox;
    let other: Sandbox;

    beforeAll(async () => {
      fixture = new InformerFixture(await open());
      ns = await Sandbox.open(fixture.target.api);
      other = await Sandbox.open(fixture.target.api);
      return async () => {
        await ns.close();
        await other.close();
        await fixture.close();
      };
    });
    afterEach(() => fixture.leave());

    const key = (object: string): string => `${ns.name}/${object}`;

    /** The watch is open, and from now on nothing that it sends arrives, until it speaks. */
    async function held(options: Partial<InformerOptions> = {}): Promise<Held> {
      const proxy = await fixture.proxy();
      const { informer, stats } = fixture.start(
        { ...CONFIG_MAPS, namespace: ns.name, advanced: PROMPT, ...options } as InformerOptions & {
          namespace: string;
        },
        proxy,
      );
      await informer.synced;
      await expect.poll(() => stats().isWatching, { timeout: 30_000 }).toBe(true);
      proxy.hold();
      return {
        informer,
        proxy,
        speak: async (written) => {
          expect(informer.isCaughtUp(written), `${written} before the watch speaks`).toBe(false);
          const caughtUp = informer.caughtUp(written, PATIENCE);
          if (proxy.intercept === undefined) proxy.resume();
          else proxy.cut();
          await caughtUp;
        },
      };
    }

    const versionOf = (informer: SharedInformer, object: string): string | undefined =>
      informer.lister.get(object)?.metadata?.resourceVersion;

    const cached = (informer: SharedInformer, object: string): KubernetesObject => {
      const known = informer.lister.get(object);
      if (known === undefined) throw new Error(`${object} is not cached`);
      return known;
    };

    test('a created, a patched and an updated object are seen with their versions', async () => {
      const { informer, proxy, speak } = await held();
      const created = await ns.create('configmaps', configMap('written'));
      informer.wrote(created);
      await speak(key('written'));
      expect(versionOf(informer, key('written'))).toBe(created.metadata.resourceVersion);
      proxy.hold();
      const patched = await ns.change(ns.path('configmaps', 'written'), { data: { a: '1' } });
      informer.wrote(patched);
      expect(versionOf(informer, key('written'))).toBe(created.metadata.resourceVersion);
      await speak(key('written'));
      expect(versionOf(informer, key('written'))).toBe(patched.metadata.resourceVersion);
    });

    test('a patch that changes nothing is seen at once', async () => {
      const object = await ns.create('configmaps', configMap('same', { data: { a: '1' } }));
      const { informer } = await held();
      const patched = await ns.change(ns.path('configmaps', 'same'), { data: { a: '1' } });
      expect(patched.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
      informer.wrote(patched);
      expect(informer.isCaughtUp(key('same'))).toBe(true);
    });

    test('an object that leaves the selector on labels by the write is seen to be gone', async () => {
      const labels = { color: 'red' };
      await ns.create('configmaps', configMap('leaving', { metadata: { labels } }));
      const { informer, speak } = await held({ labelSelector: 'color=red' });
      informer.wrote(await ns.change(ns.path('configmaps', 'leaving'), { metadata: { labels: null } }));
      expect(informer.lister.get(key('leaving'))).toBeDefined();
      await speak(key('leaving'));
      expect(informer.lister.get(key('leaving'))).toBeUndefined();
    });

    test('an object that leaves the selector on fields by the write is seen to be gone', async () => {
      await ns.create('pods', pod('leaving'));
      const { informer, speak } = await held({ ...PODS, fieldSelector: 'status.phase=Pending' });
      expect(informer.lister.get(key('leaving'))).toBeDefined();
      const status = { status: { phase: 'Running' } };
      informer.wrote(await ns.change(`${ns.path('pods', 'leaving')}/status`, status));
      await speak(key('leaving'));
      expect(informer.lister.get(key('leaving'))).toBeUndefined();
    });

    test('an object outside of the selector is seen with the next event of another one', async () => {
      const { informer, proxy, speak } = await held({ labelSelector: 'color=green' });
      informer.wrote(await ns.create('configmaps', configMap('outside')));
      const labels = { color: 'green' };
      await ns.create('configmaps', configMap('inside', { metadata: { labels } }));
      await speak(key('outside'));
      expect(informer.lister.get(key('inside'))).toBeDefined();
      expect(informer.lister.get(key('outside'))).toBeUndefined();
      proxy.hold();
    });

    test('a deletion is seen when the object is gone', async () => {
      await ns.create('configmaps', configMap('deleted'));
      const { informer, speak } = await held();
      const answer = await ns.delete(ns.path('configmaps', 'deleted'));
      expect(answer.json.kind).toBe('Status');
      informer.wroteDelete(cached(informer, key('deleted')), answer.json);
      await speak(key('deleted'));
      expect(informer.lister.get(key('deleted'))).toBeUndefined();
    });

    test('a deletion that the API answers with the final object is seen when the object is gone', async () => {
      await ns.create('pods', pod('deleted'));
      const { informer, speak } = await held(PODS);
      const answer = await ns.delete(ns.path('pods', 'deleted'), { query: { gracePeriodSeconds: 0 } });
      expect(answer.json.kind).toBe('Pod');
      informer.wroteDelete(answer.json);
      await speak(key('deleted'));
      expect(informer.lister.get(key('deleted'))).toBeUndefined();
    });

    test('a deletion that waits for finalizers, and then the removal of the last one, are seen', async () => {
      const metadata = { finalizers: [FINALIZER] };
      await ns.create('configmaps', configMap('final', { metadata }));
      const { informer, proxy, speak } = await held();
      const answer = await ns.delete(ns.path('configmaps', 'final'));
      expect(answer.json.kind).toBe('ConfigMap');
      informer.wroteDelete(cached(informer, key('final')), answer.json);
      await speak(key('final'));
      expect(cached(informer, key('final')).metadata).toHaveProperty('deletionTimestamp');
      proxy.hold();
      const path = ns.path('configmaps', 'final');
      informer.wrote(await ns.change(path, { metadata: { finalizers: null } }));
      await speak(key('final'));
      expect(informer.lister.get(key('final'))).toBeUndefined();
    });

    test('an object that is deleted and created again before the watch speaks is seen with its new uid', async () => {
      await ns.create('configmaps', configMap('again'));
      const { informer, speak } = await held();
      const before = cached(informer, key('again'));
      informer.wroteDelete(before, (await ns.delete(ns.path('configmaps', 'again'))).json);
      const created = await ns.create('configmaps', configMap('again'));
      informer.wrote(created);
      await speak(key('again'));
      expect(cached(informer, key('again')).metadata?.uid).toBe(created.metadata.uid);
    });

    test('an object that is created and deleted before the watch speaks is seen to be gone', async () => {
      const { informer, speak } = await held();
      const created = await ns.create('configmaps', configMap('short'));
      informer.wrote(created);
      informer.wroteDelete(created, (await ns.delete(ns.path('configmaps', 'short'))).json);
      await speak(key('short'));
      expect(informer.lister.get(key('short'))).toBeUndefined();
    });

    test('a write in the middle of a relist is seen after the list, which does not have it', async () => {
      for (const object of ['l-1', 'l-2', 'l-3']) await ns.create('configmaps', configMap(object));
      const { informer, proxy } = await held({ list: 'paged', pageSize: 2 });
      const lists = proxy.of('list').length;
      let isGone = false;
      let written = '';
      proxy.intercept = async (target) => {
        if (target.searchParams.has('watch') && !isGone) {
          isGone = true;
          return 'gone';
        }
        if (!target.searchParams.has('continue') || written !== '') return undefined;
        const changed = await ns.change(ns.path('configmaps', 'l-1'), { data: { a: 'relist' } });
        written = changed.metadata.resourceVersion;
        informer.wrote(changed);
        return undefined;
      };
      proxy.cut();
      await expect.poll(() => written, { timeout: PATIENCE.timeoutMs }).not.toBe('');
      await informer.caughtUp(key('l-1'), PATIENCE);
      expect(versionOf(informer, key('l-1'))).toBe(written);
      expect(proxy.of('list').length).toBeGreaterThan(lists);
    });

    test('with several namespaces, a write is seen with the progress of its own', async () => {
      const { informer, proxy, speak } = await held({
        namespace: [ns.name, other.name] as readonly string[] as never,
      });
      const first = await ns.create('configmaps', configMap('one'));
      const second = await other.create('configmaps', configMap('two'));
      informer.wrote(first);
      informer.wrote(second);
      // The other namespace's watch alone comes back, and has passed the version of the first write.
      let release = (): void => {};
      const open = new Promise<void>((resolve) => {
        release = resolve;
      });
      proxy.intercept = async ({ pathname }) => {
        if (pathname.includes(ns.name)) await open;
        return undefined;
      };
      await speak(`${other.name}/two`);
      expect(informer.isCaughtUp(key('one'))).toBe(false);
      expect(informer.lister.get(key('one'))).toBeUndefined();
      release();
      await informer.caughtUp(key('one'), PATIENCE);
      expect(versionOf(informer, key('one'))).toBe(first.metadata.resourceVersion);
    });

    test('an object of another namespace is not waited for', async () => {
      const { informer } = await held();
      informer.wrote(await other.create('configmaps', configMap('elsewhere')));
      expect(informer.isCaughtUp(`${other.name}/elsewhere`)).toBe(true);
    });
  });
}
