import type { Entry } from 'kubeflect';
import { expect, it, onTestFinished } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { RawServer } from '../support/servers/raw-server.js';

const configMap = (name: string, version: bigint) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: `${version}` },
});

/** Neighbours that are the same number once they are rounded. */
it.each([
  ['2^53', 2n ** 53n],
  ['2^63', 2n ** 63n],
])(
  'own writes with versions beyond %s are seen with their own version, not with the one before',
  async (_, base) => {
    const server = await RawServer.start();
    onTestFinished(() => server.close());
    const fixture = await EngineFixture.start();
    onTestFinished(() => fixture.close());
    const event = (type: string, name: string, version: bigint): void =>
      server.send(version, Buffer.from(`${JSON.stringify({ type, object: configMap(name, version) })}\n`));
    const metadata = { resourceVersion: `${base}` };
    const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [configMap('a', base)] };
    server.lists.push(Buffer.from(JSON.stringify(list)));
    const informer = fixture
      .engine({ connection: { server: server.url, headers: {} } })
      .informer({ ...CONFIG_MAPS, encoding: 'json' });
    informer.start();
    await informer.synced;

    informer.wrote(configMap('a', base + 3n));
    const seen: (Entry | undefined)[] = [];
    const caughtUp = informer
      .caughtUp('default/a')
      .then(() => seen.push(informer.indexer.getByKey('default/a')));
    event('MODIFIED', 'a', base + 2n);
    await expect.poll(() => informer.indexer.getByKey('default/a')?.resourceVersion).toBe(`${base + 2n}`);
    expect(informer.isCaughtUp('default/a')).toBe(false);
    event('MODIFIED', 'a', base + 3n);
    await caughtUp;
    expect(seen.map((entry) => entry?.resourceVersion)).toEqual([`${base + 3n}`]);

    // Progress of another object counts as well, but only beyond the version.
    informer.wrote(configMap('elsewhere', base + 5n));
    event('ADDED', 'b', base + 4n);
    await expect.poll(() => informer.indexer.listKeys()).toContain('default/b');
    expect(informer.isCaughtUp('default/elsewhere')).toBe(false);
    event('ADDED', 'c', base + 6n);
    await informer.caughtUp('default/elsewhere');
  },
);
