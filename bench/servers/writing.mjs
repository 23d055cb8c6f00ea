/**
 * The embedded API server in a process that also changes pods at a steady rate and notes when: nothing stands between the clock and
 * the write. Asked by `driven.mjs`.
 */
import { ApiServer } from '#dist/workers/apiserver/api-server.js';
import { updateRendered } from '#dist/workers/apiserver/churn.js';
import { ControlService } from '#dist/workers/apiserver/control-service.js';
import { resolvePopulateSpec } from '#dist/workers/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/workers/apiserver/generators/rendered-set.js';
import { resolveServerOptions } from '#dist/workers/apiserver/options.js';
import { sharedClockMs } from '../contenders/recording.mjs';

const TICK_MS = 1;
/** As long as one slice of writes may keep the server from sending. */
const SLICE_MS = 5;

let server;
let service;
let set;

const ANSWERS = {
  async start({ spec }) {
    // A watch that falls behind must show in the figures, and not be cut off.
    server = new ApiServer(resolveServerOptions({ historyEvents: 2_000_000, slowWatchGraceMs: 60_000 }));
    await server.listen();
    service = new ControlService(server);
    await service.call({ call: 'populate', spec });
    set = new RenderedSet(resolvePopulateSpec(spec), 1);
    return { kubeConfig: kubeConfigOf(server.port) };
  },
  digest: (kind) => service.call({ call: 'digest', ...kind }),
  /** Resolves with the time of each write, when all are made; the first has the version after `resourceVersion`. */
  async write({ perSecond, events }) {
    const { storage, registry } = server.state;
    const pods = registry.byKind('v1', 'Pod');
    const times = new Float64Array(events);
    const before = storage.revision;
    const began = sharedClockMs();
    let done = 0;
    while (done < events) {
      const sliceBegan = sharedClockMs();
      const due = Math.min(events, Math.ceil(((sliceBegan - began) / 1000) * perSecond));
      while (done < due && sharedClockMs() - sliceBegan < SLICE_MS) {
        // Spread over the whole set, the same in each run.
        updateRendered(server, pods, set, (done * 7919) % set.count);
        times[done++] = sharedClockMs();
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    return { before, after: storage.revision, times };
  },
  /** Of this process since it began. */
  async cpu() {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000 };
  },
  async end() {
    await server?.close();
    process.disconnect();
  },
};

function kubeConfigOf(port) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ ask, ...details }) => {
  const answer = await ANSWERS[ask](details);
  if (process.connected) process.send(answer ?? {});
});
