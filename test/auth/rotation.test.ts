import type { Engine, EngineOptions, SharedInformer } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CredentialFixture, FAST_RETRIES, tokenOf } from '../support/credentials/credential-fixture.js';
import { CONFIG_MAPS, PODS } from '../support/engine/engine-fixture.js';
import { newAuthority } from '../support/servers/credential-checking-server.js';

const ROTATIONS = 20;

let world: CredentialFixture;

beforeAll(async () => {
  world = await CredentialFixture.start();
});
afterEach(() => world.reset());
afterAll(() => world[Symbol.asyncDispose]());

interface Rotation {
  /** What an engine is given, with the files of rotation 0 written. */
  readonly connection: () => NonNullable<EngineOptions['connection']>;
  /** From now on, only what was rotated so often is good. */
  readonly rotate: (times: number) => void;
}

function writePair(times: number): void {
  const { certificate, privateKey } = world.apiServer.certificateOf(`client-${times}`);
  // Not in one step: in between, the key is not that of the certificate.
  world.folder.write('client.crt', certificate);
  world.folder.write('client.key', privateKey);
}

const KINDS: readonly [string, Rotation][] = [
  [
    'a token',
    {
      connection: () => ({
        server: world.apiServer.url,
        tls: { ca: world.ca },
        tokenFile: world.folder.write('token', tokenOf(0)),
      }),
      rotate: (times) => {
        world.folder.write('token', tokenOf(times));
        world.apiServer.authorize = ({ authorization }) =>
          authorization === `Bearer ${tokenOf(times)}` ? undefined : 401;
      },
    },
  ],
  [
    'a client certificate',
    {
      connection: () => {
        writePair(0);
        const [certFile, keyFile] = ['client.crt', 'client.key'].map(
          (name) => `${world.folder.path}/${name}`,
        );
        return { server: world.apiServer.url, tls: { ca: world.ca, certFile: certFile!, keyFile: keyFile! } };
      },
      rotate: (times) => {
        writePair(times);
        world.apiServer.authorize = ({ certificate }) =>
          certificate === `client-${times}` ? undefined : 401;
      },
    },
  ],
  [
    'the certificate authority of the server',
    {
      connection: () => ({
        server: world.apiServer.url,
        tls: { caFile: world.folder.write('ca.crt', world.ca) },
      }),
      rotate: (times) => {
        const authority = newAuthority(`authority ${times}`);
        // Both for a while, as bundles are rotated.
        world.folder.write('ca.crt', world.ca + authority.certificate);
        world.apiServer.rotateAuthority(authority);
      },
    },
  ],
];

async function hasSeen(informers: readonly SharedInformer[], name: string): Promise<void> {
  await expect
    .poll(() => informers.every(({ lister }) => lister.get(`default/${name}`) !== undefined), {
      timeout: 15_000,
      interval: 5,
    })
    .toBe(true);
}

/** Never shared with another of the same engine. */
function informerOf(engine: Engine, name: string): SharedInformer {
  return engine.informer({ ...CONFIG_MAPS, ...FAST_RETRIES, name });
}

describe.each(KINDS)('rotating %s', (kind, { connection, rotate }) => {
  it('20 times under load fails no list and no watch, and causes no relist', async () => {
    const { server } = world.world;
    await server.populate({ kind: 'Pod', count: 100, namespaces: 3, churnPerSecond: 100 });
    const engine = world.engine({ connection: connection(), workers: 2 });
    rotate(0);
    const pods = engine.informer({ ...PODS, ...FAST_RETRIES, pageSize: 50 });
    const kept = informerOf(engine, 'kept');
    pods.start();
    kept.start();
    await Promise.all([pods.synced, kept.synced]);
    for (let times = 1; times <= ROTATIONS; times++) {
      // One is in the middle of its first list, the others watch.
      const fresh = informerOf(engine, `fresh ${times}`);
      fresh.start();
      rotate(times);
      world.apiServer.dropConnections();
      const name = `${kind.replaceAll(' ', '-')}-${times}`;
      await world.world.configMap(name);
      await fresh.synced;
      await hasSeen([kept, fresh], name);
      // Its watch is open again, too, before it is cut the next time: three cuts in a row would be a reason to list.
      // Events that had arrived before it was cut prove nothing, so it has to be newer than the ConfigMap.
      const version = Number(kept.lister.get(`default/${name}`)?.metadata?.resourceVersion);
      await expect
        .poll(() => Number(pods.lastStoreSyncResourceVersion), { timeout: 15_000, interval: 5 })
        .toBeGreaterThan(version);
      await fresh.stop();
    }
    await server.stopChurn();
    await world.world.converged(pods, PODS);
    const { informers } = engine.stats();
    expect(
      informers.filter(({ name }) => ['kept', 'pods'].includes(name)).map(({ relists }) => relists),
    ).toEqual([0, 0]);
    expect(world.world.errors).toEqual([]);
  }, 120_000);
});
