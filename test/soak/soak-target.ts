import { setTimeout as sleep } from 'node:timers/promises';
import { startApiServer } from 'kubeflect/testing';
import { ApiClient } from '../conformance/harness/client.js';
import { readConnection } from '../conformance/harness/target.js';
import type { FailingTarget } from '../suites/informers/informer-target.js';
import { ToxicProxy } from '../support/servers/toxic-proxy.js';

const DOWN_MS = 2000;

/** The embedded server in a separate process, behind a proxy that buffers nothing, since the memory of this process is measured. */
export async function openSoakTarget(): Promise<FailingTarget> {
  const server = await startApiServer({ run: 'process', bookmarkIntervalMs: 5000 });
  const proxy = await ToxicProxy.before(server.port);
  const api = new ApiClient(await readConnection(server.kubeConfig));
  return {
    kubeConfig: server.kubeConfig.replaceAll(server.url, proxy.url),
    api,
    history: { events: 100_000, ageMs: 0 },
    bookmarkMs: 5000,
    fillPods: async (count) => {
      await server.populate({ kind: 'Pod', count, sizeBytes: 3000, namespaces: 20 });
    },
    restart: async (how) => {
      if (how === 'shutdown') await server.closeWatches();
      proxy.toxics = { refuse: true };
      proxy.drop();
      await server.compact();
      // The outage lasts.
      await sleep(DOWN_MS);
      proxy.toxics = {};
    },
    close: async () => {
      api.close();
      await proxy[Symbol.asyncDispose]();
      await server.close();
    },
  };
}
