/**
 * A ring of processes on a real API server: killed, stopped and continued, partitioned, removed and added. KUBEFLECT_RING_MINUTES=10
 * and KUBEFLECT_RING_OBJECTS=5000 for the full size.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Target, targetOf } from '../conformance/harness/target.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { RingReplicas } from '../suites/sharding/ring-replicas.js';

const MINUTES = Number(process.env['KUBEFLECT_RING_MINUTES'] ?? '1');
const OBJECTS = Number(process.env['KUBEFLECT_RING_OBJECTS'] ?? '200');
const MEMBERS = 5;
const SHARDS = 32;
const FAULT_EVERY_MS = 6000;
/** Which no shard may be without an owner, also if its heir dies at once. */
const LONGEST_GAP_MS = 25_000;
/** In long runs: how often a member joins while nothing else happens, and how many shards may move, against the ideal. */
const JOINS = MINUTES >= 5 ? 6 : 0;
const MOVES = 1.7;
const NAMESPACE = 'ring';

describe('a ring of processes', () => {
  let controlPlane: ControlPlane;
  let target: Target;
  let folder: string;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    target = await targetOf(readFileSync(controlPlane.kubeConfigs.admin, 'utf8'));
    folder = mkdtempSync(join(tmpdir(), 'kubeflect-ring-'));
    await target.api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
  }, 240_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await target.close();
    await controlPlane.stop();
  });

  it('reconciles no object in two processes at once, and every change in the end, whatever happens to its members', {
    timeout: MINUTES * 60_000 + 900_000,
  }, async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const write = async (i: number, wanted: string): Promise<void> => {
      const { status } = await target.api.request('PATCH', `${path}/object-${i}`, {
        body: { data: { wanted } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      expect(status).toBe(200);
    };
    for (let i = 0; i < OBJECTS; i++) {
      const body = { metadata: { name: `object-${i}` }, data: { wanted: '0' } };
      await target.api.request('POST', path, { body });
    }
    const file = join(folder, 'config');
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(readFileSync(controlPlane.kubeConfigs.admin, 'utf8'))?.[1]);
    const replicas = new RingReplicas({
      port,
      namespace: NAMESPACE,
      render: (url, i) => {
        const text = readFileSync(controlPlane.kubeConfigs.admin, 'utf8');
        writeFileSync(`${file}-${i}`, text.replaceAll(`https://127.0.0.1:${port}`, url));
        return `${file}-${i}`;
      },
    });
    try {
      for (let i = 0; i < MEMBERS; i++) await replicas.add();
      let isOver = false;
      const writing = (async () => {
        for (let turn = 1; !isOver; turn++) {
          await write(Math.floor(Math.random() * OBJECTS), String(turn));
          // A rate that the reconciles of one member can follow.
          await sleep(20);
        }
      })();
      const endMs = performance.now() + MINUTES * 60_000;
      while (performance.now() < endMs) {
        // The faults come at their own pace.
        await sleep(FAULT_EVERY_MS);
        await replicas.injectFault(MEMBERS);
      }
      isOver = true;
      await writing;
      replicas.heal();
      const unhandled = async (): Promise<number> => {
        const { json } = await target.api.get(path);
        const items = json.items as unknown as { data: { wanted: string; handled?: string } }[];
        return items.filter(({ data }) => data.handled !== data.wanted).length;
      };
      await expect.poll(unhandled, { timeout: 120_000, interval: 1000 }).toBe(0);
      const calm = (): Promise<void> =>
        expect.poll(() => replicas.isCalm(SHARDS, 4000), { timeout: 120_000, interval: 500 }).toBe(true);
      let moved = 0;
      let ideal = 0;
      if (JOINS > 0) await calm();
      for (let join = 0; join < JOINS; join++) {
        if (replicas.living >= MEMBERS + 3) {
          while (replicas.living > MEMBERS) replicas.remove();
          await calm();
        }
        const before = replicas.acquired;
        await replicas.add();
        await calm();
        moved += replicas.acquired - before;
        ideal += SHARDS / replicas.living;
      }
      const { overlaps, longestGapMs, gap, moves, written } = replicas.verdict();
      console.log(
        `${MINUTES} minutes, ${OBJECTS} objects: ${replicas.faults.join(', ')}; ${written} writes, ${moves} shards acquired, ` +
          `longest without an owner ${(longestGapMs / 1000).toFixed(1)} s, ${overlaps.length} overlaps; ` +
          `${JOINS} joins moved ${moved} shards, ideally ${ideal.toFixed(1)}`,
      );
      if (longestGapMs >= LONGEST_GAP_MS) console.log(gap.join('\n'));
      expect(overlaps).toEqual([]);
      expect(moved).toBeLessThanOrEqual(MOVES * ideal);
      expect(longestGapMs).toBeLessThan(LONGEST_GAP_MS);
      expect(written).toBeGreaterThan(OBJECTS);
    } finally {
      await replicas.close();
    }
  });
});
