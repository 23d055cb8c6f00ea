/** The embedded API server as a target of the informer suites. */

import { setTimeout as sleep } from 'node:timers/promises';
import { startApiServer } from 'kubeflect/testing';
import { ApiClient } from '../../conformance/harness/client.js';
import { readConnection } from '../../conformance/harness/target.js';
import type { FailingTarget, InformerTarget } from './informer-target.js';
import { RecordingProxy } from './recording-proxy.js';

const HISTORY_EVENTS = 100;
const BOOKMARK_MS = 1000;

export async function openEmbedded(): Promise<InformerTarget> {
  const server = await startApiServer({
    tls: true,
    token: 'a-token',
    historyEvents: HISTORY_EVENTS,
    bookmarkIntervalMs: BOOKMARK_MS,
  });
  const { kubeConfig } = server;
  const api = new ApiClient(await readConnection(kubeConfig));
  return {
    kubeConfig,
    api,
    history: { events: HISTORY_EVENTS, ageMs: 0 },
    bookmarkMs: BOOKMARK_MS,
    close: async () => {
      api.close();
      await server.close();
    },
  };
}

/** How long a restart takes. */
const DOWN_MS = 200;
/** So that a list takes long enough to be interrupted. */
const LIST_DELAY_MS = 20;

export async function openFailingEmbedded(): Promise<FailingTarget> {
  const server = await startApiServer();
  await server.faults.add({ match: { verb: 'list' }, fault: { type: 'delay', ms: LIST_DELAY_MS } });
  const connection = await readConnection(server.kubeConfig);
  const proxy = await RecordingProxy.start(connection);
  const api = new ApiClient(connection);
  return {
    kubeConfig: server.kubeConfig.replaceAll(server.url, proxy.url),
    api,
    history: { events: 100_000, ageMs: 0 },
    bookmarkMs: 60_000,
    fillPods: async (count) => {
      await server.populate({ kind: 'Pod', count, sizeBytes: 3000, namespaces: 20 });
    },
    restart: async (how) => {
      if (how === 'shutdown') await server.closeWatches();
      await proxy.down();
      await server.compact();
      // The outage lasts.
      await sleep(DOWN_MS);
      await proxy.up();
    },
    close: async () => {
      api.close();
      await proxy.close();
      await server.close();
    },
  };
}
