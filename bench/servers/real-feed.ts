/** A real kube-apiserver whose pods are patched. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedClockMs } from '../contenders/recording.js';
import { listedDigest, listedKeys, patch } from './api-requests.js';
import type { Feed, Written } from './feed.js';
import { startRealServer } from './real.js';
import type { Population } from './server.js';

/** Patches at a time. */
const MAX_IN_FLIGHT = 64;

export async function realFeed(population: Population): Promise<Feed> {
  const { server, kubeConfig, newAgent } = await startRealServer(population);
  const agent = newAgent();
  const keys = await listedKeys(kubeConfig);
  let touched = 0;
  const touch = async (): Promise<{ version: number; time: number }> => {
    const [namespace, name] = (keys[(touched * 7919) % keys.length] ?? '').split('/');
    const change = { metadata: { annotations: { 'example.com/touched': String(++touched) } } };
    const time = sharedClockMs();
    const body = await patch(kubeConfig, agent, `/api/v1/namespaces/${namespace}/pods/${name}`, change);
    return { version: Number(/"resourceVersion":"(\d+)"/.exec(body)?.[1]), time };
  };
  return {
    kubeConfig: server.kubeConfig,
    description: `${server.description}; a change is written when its request is sent`,
    // A watch starts at the version of its list: nothing is missed.
    watched: async () => undefined,
    async write({ perSecond, seconds }) {
      const inFlight = new Set<Promise<void>>();
      const writes: { version: number; time: number }[] = [];
      const startMs = sharedClockMs();
      const endMs = startMs + seconds * 1000;
      let begun = 0;
      for (let nowMs = startMs; nowMs < endMs; nowMs = sharedClockMs()) {
        const due = perSecond === undefined ? Infinity : ((nowMs - startMs) / 1000) * perSecond;
        while (begun < due && inFlight.size < MAX_IN_FLIGHT) {
          begun++;
          const touching: Promise<void> = touch().then((write) => {
            writes.push(write);
            inFlight.delete(touching);
          });
          inFlight.add(touching);
        }
        if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
        else await sleep(Math.max(1, Math.round(startMs + ((begun + 1) / (perSecond ?? 1)) * 1000 - nowMs)));
      }
      await Promise.all(inFlight);
      return writtenOf(writes);
    },
    digest: () => listedDigest(kubeConfig),
    cpuMs: async () => server.cpuMs(),
    close: async () => {
      agent.destroy();
      await server.close();
    },
  };
}

function writtenOf(writes: readonly { readonly version: number; readonly time: number }[]): Written {
  const sorted = [...writes].sort((a, b) => a.version - b.version);
  return {
    versions: Float64Array.from(sorted, ({ version }) => version),
    times: Float64Array.from(sorted, ({ time }) => time),
  };
}
