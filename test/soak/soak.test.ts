import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type SharedInformer } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { Churn } from '../suites/informers/churn.js';
import { openFailingTarget } from '../suites/informers/control-plane-target.js';
import { InformerScene, type Mirror } from '../suites/informers/informer-scene.js';
import type { FailingTarget } from '../suites/informers/informer-target.js';
import { Fold } from '../support/engine/engine-fixture.js';
import { heldBytes } from '../support/engine/garbage.js';
import { openSoakTarget } from './soak-target.js';

const MINUTES = Number(process.env['KUBEFLECT_SOAK_MINUTES'] ?? '1');
const WANTED = process.env['KUBEFLECT_SOAK_SERVER'] ?? '';
const PODS = 2000;
const ROUND_MS = 30_000;
const KILL_EVERY_MS = 10_000;
/** In a short soak more often, so that there is one. */
const RESTART_EVERY_MS = Math.min(180_000, (MINUTES * 60_000) / 3);
const STOPPED_MS = 3000;
const LISTS = ['paged', 'stream', 'full'] as const;
/** What may come on top of what is held after the first rounds. */
const GROWTH_BYTES = 24 * 1024 * 1024;

/** Of one round, when nothing was going on. */
interface Look {
  readonly heldBytes: number;
  readonly handles: number;
}

let controlPlane: ControlPlane | undefined;
let target: FailingTarget;
let scene: InformerScene<FailingTarget>;
let engine: Engine;
let mirrors: Mirror[];
const kills = { threads: 0, restarts: 0, stops: 0 };

beforeAll(async () => {
  const isReal = WANTED === 'real' || (WANTED === '' && findBinaries() !== undefined);
  controlPlane = isReal ? await startControlPlane() : undefined;
  target = controlPlane === undefined ? await openSoakTarget() : await openFailingTarget(controlPlane);
  scene = new InformerScene(target);
  await target.fillPods(PODS);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(target.kubeConfig);
  engine = new Engine({ kubeConfig, workers: 2, onError: () => {} });
  mirrors = LISTS.map((list) =>
    mirrorOf(engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', list })),
  );
}, 240_000);

afterAll(async () => {
  await engine.close();
  await scene.close();
  await target.close();
  await controlPlane?.stop();
}, 60_000);

function mirrorOf(informer: SharedInformer): Mirror {
  const fold = new Fold();
  informer.addEventHandler(fold);
  informer.start();
  const stats = () => {
    const found = engine.stats().informers.find(({ name }) => name === informer.name);
    if (found === undefined) throw new Error(`${informer.name} is gone`);
    return found;
  };
  return { informer, fold, stats, path: '/api/v1/pods', selectors: {}, metadataOnly: false };
}

/** Threads die, and now and then the server. */
async function trouble(untilMs: number, isRestart: boolean): Promise<void> {
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
  // Neither dead nor alive, for a while.
  kills.stops++;
  process.kill(apiServer, 'SIGSTOP');
  // The process is suspended.
  await sleep(STOPPED_MS);
  process.kill(apiServer, 'SIGCONT');
}

async function look(): Promise<Look> {
  // Requests that are under way, and buffers about to be released, settle.
  await sleep(1000);
  const handles = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort|TCP/.test(name));
  return { heldBytes: await heldBytes(), handles: handles.length };
}

describe('an engine that lives with faults', () => {
  it(
    `for ${MINUTES} minutes is right whenever it is asked, and holds no more at the end`,
    async () => {
      const endMs = performance.now() + MINUTES * 60_000;
      let restartAtMs = performance.now();
      const looks: Look[] = [];
      while (performance.now() < endMs) {
        const churn = await Churn.start(target.api, '/api/v1/pods');
        const isRestart = performance.now() >= restartAtMs;
        if (isRestart) restartAtMs += RESTART_EVERY_MS;
        await trouble(Math.min(performance.now() + ROUND_MS, endMs), isRestart);
        const version = await churn.end();
        for (const mirror of mirrors) {
          await scene.caughtUp(mirror, version, 120_000);
          await scene.expectExact(mirror);
        }
        looks.push(await look());
      }
      const relists = mirrors.map(({ stats }) => stats().relists);
      console.log(
        JSON.stringify({ ...kills, rounds: looks.length, relists, real: controlPlane !== undefined, looks }),
      );
      expect(kills.threads).toBeGreaterThanOrEqual(looks.length);
      expect(kills.restarts).toBeGreaterThan(0);
      const [first, ...rest] = looks.slice(Math.min(2, looks.length - 1));
      for (const { heldBytes } of rest)
        expect(heldBytes).toBeLessThan((first?.heldBytes ?? 0) + GROWTH_BYTES);
      // Sockets of the client that writes come and go.
      for (const { handles } of rest) expect(handles).toBeLessThanOrEqual((first?.handles ?? 0) + 8);
    },
    (MINUTES + 10) * 60_000,
  );
});
