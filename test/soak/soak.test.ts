import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type SharedInformer } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { Churn } from '../suites/informers/churn.js';
import { openFailingTarget } from '../suites/informers/control-plane-target.js';
import { InformerFixture, type ObservedInformer } from '../suites/informers/informer-fixture.js';
import type { FailingTarget } from '../suites/informers/informer-target.js';
import { Fold } from '../support/engine/engine-fixture.js';
import { heldBytes } from '../support/engine/garbage.js';
import { openSoakTarget } from './soak-target.js';

const MINUTES = Number(process.env['KUBEFLECT_SOAK_MINUTES'] ?? '1');
const REQUESTED_SERVER = process.env['KUBEFLECT_SOAK_SERVER'] ?? '';
const PODS = 2000;
const ROUND_MS = 30_000;
const KILL_EVERY_MS = 10_000;
/** More often in a short soak, so that there is at least one restart. */
const RESTART_EVERY_MS = Math.min(180_000, (MINUTES * 60_000) / 3);
const STOPPED_MS = 3000;
const LISTS = ['paged', 'stream', 'full'] as const;
/** How much memory may grow after the first rounds. */
const GROWTH_BYTES = 24 * 1024 * 1024;

/** Measured after a round, when the engine is idle. */
interface Sample {
  readonly heldBytes: number;
  readonly handles: number;
}

let controlPlane: ControlPlane | undefined;
let target: FailingTarget;
let fixture: InformerFixture<FailingTarget>;
let engine: Engine;
let observedInformers: ObservedInformer[];
const kills = { threads: 0, restarts: 0, stops: 0 };

beforeAll(async () => {
  const isReal = REQUESTED_SERVER === 'real' || (REQUESTED_SERVER === '' && findBinaries() !== undefined);
  controlPlane = isReal ? await startControlPlane() : undefined;
  target = controlPlane === undefined ? await openSoakTarget() : await openFailingTarget(controlPlane);
  fixture = new InformerFixture(target);
  await target.fillPods(PODS);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(target.kubeConfig);
  engine = new Engine({ kubeConfig, workers: 2, onError: () => {} });
  observedInformers = LISTS.map((list) =>
    observe(engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', list })),
  );
}, 240_000);

afterAll(async () => {
  await engine.close();
  await fixture.close();
  await target.close();
  await controlPlane?.stop();
}, 60_000);

function observe(informer: SharedInformer): ObservedInformer {
  const fold = new Fold();
  informer.addEventHandler(fold);
  informer.start();
  const stats = () => {
    const found = engine.stats().informers.find(({ name }) => name === informer.name);
    if (found === undefined) throw new Error(`${informer.name} has no statistics`);
    return found;
  };
  return { engine, informer, fold, stats, path: '/api/v1/pods', selectors: {}, metadataOnly: false };
}

/** Kills threads, and restarts the server now and then. */
async function disturb(untilMs: number, isRestart: boolean): Promise<void> {
  const restarting = isRestart ? disturbServer() : Promise.resolve();
  while (performance.now() < untilMs) {
    // Between two deaths of a thread.
    await sleep(Math.min(KILL_EVERY_MS, Math.max(0, untilMs - performance.now())));
    const thread = engine.threads[kills.threads++ % 2];
    void thread?.terminate();
  }
  await restarting;
}

async function disturbServer(): Promise<void> {
  kills.restarts++;
  await target.restart(kills.restarts % 2 === 0 ? 'shutdown' : 'crash');
  const { apiServer } = controlPlane?.processIds ?? {};
  if (apiServer === undefined) return;
  kills.stops++;
  process.kill(apiServer, 'SIGSTOP');
  // The process is suspended.
  await sleep(STOPPED_MS);
  process.kill(apiServer, 'SIGCONT');
}

async function sample(): Promise<Sample> {
  // Requests that are under way, and buffers about to be released, settle.
  await sleep(1000);
  const handles = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort|TCP/.test(name));
  return { heldBytes: await heldBytes(), handles: handles.length };
}

describe('an engine with continuous faults', () => {
  it(
    `has the state of the server in every round of ${MINUTES} minutes, and its memory does not grow`,
    async () => {
      const endMs = performance.now() + MINUTES * 60_000;
      let restartAtMs = performance.now();
      const samples: Sample[] = [];
      while (performance.now() < endMs) {
        const churn = await Churn.start(target.api, '/api/v1/pods');
        const isRestart = performance.now() >= restartAtMs;
        if (isRestart) restartAtMs += RESTART_EVERY_MS;
        await disturb(Math.min(performance.now() + ROUND_MS, endMs), isRestart);
        const version = await churn.end();
        for (const observed of observedInformers) {
          await fixture.caughtUp(observed, version, 120_000);
          await fixture.expectExact(observed);
        }
        samples.push(await sample());
      }
      const relists = observedInformers.map(({ stats }) => stats().relists);
      console.log(
        JSON.stringify({
          ...kills,
          rounds: samples.length,
          relists,
          real: controlPlane !== undefined,
          samples,
        }),
      );
      expect(kills.threads).toBeGreaterThanOrEqual(samples.length);
      expect(kills.restarts).toBeGreaterThan(0);
      const [first, ...rest] = samples.slice(Math.min(2, samples.length - 1));
      for (const { heldBytes } of rest)
        expect(heldBytes).toBeLessThan((first?.heldBytes ?? 0) + GROWTH_BYTES);
      // The number of sockets of the writing client varies.
      for (const { handles } of rest) expect(handles).toBeLessThanOrEqual((first?.handles ?? 0) + 8);
    },
    (MINUTES + 10) * 60_000,
  );
});
