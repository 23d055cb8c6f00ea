/**
 * Static shards of a real API server under churn, with its feature gate on and off. KUBEFLECT_SHARDED_PODS=20000 and
 * KUBEFLECT_SHARDED_CHANGES=4000 for the full size.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Target, targetOf } from '../conformance/harness/target.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { minorOf, selectedVersion } from '../controlplane/versions.js';
import { Churn } from '../suites/informers/churn.js';
import { fillPods } from '../suites/informers/fill-pods.js';
import { ShardedReplicas } from '../suites/sharding/sharded-replicas.js';

const PODS = Number(process.env['KUBEFLECT_SHARDED_PODS'] ?? '2000');
const CHANGES = Number(process.env['KUBEFLECT_SHARDED_CHANGES'] ?? '300');
const CHECKS = 3;
const HAS_FEATURE = Number(minorOf(selectedVersion()).split('.')[1]) >= 36;
/** Beyond the share of a replica: heads, bookmarks, and the deviation of random uids. */
const MORE = 0.05;

describe.each(HAS_FEATURE ? ['on', 'off'] : ['off'])('static shards with the feature gate %s', (gate) => {
  let controlPlane: ControlPlane;
  let target: Target;
  const isOn = gate === 'on';

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      apiServerFlags: isOn ? ['--feature-gates=ShardedListAndWatch=true'] : [],
    });
    target = await targetOf(readFileSync(controlPlane.kubeConfigs.admin, 'utf8'));
    using etcd = new EtcdClient(controlPlane.ports.etcd);
    await fillPods(target.api, etcd, PODS);
  }, 240_000);
  afterAll(async () => {
    await target.close();
    await controlPlane.stop();
  });

  it.each([2, 4, 8])(
    '%i of them are disjoint, and together the whole collection, while it changes',
    { timeout: 600_000 },
    async (of) => {
      const kubeConfig = readFileSync(controlPlane.kubeConfigs.admin, 'utf8');
      const replicas = await ShardedReplicas.start(kubeConfig, target.api, of);
      try {
        for (let check = 0; check < CHECKS; check++) {
          const churn = await Churn.start(target.api, '/api/v1/pods');
          await churn.made(CHANGES / CHECKS);
          await churn.end();
          await replicas.converged();
          expect(replicas.strays).toEqual([]);
        }
        expect(replicas.filteredBy).toEqual(Array.from({ length: of }, () => (isOn ? 'server' : 'worker')));
        const received = replicas.received;
        const whole = received.at(-1);
        if (whole === undefined) throw new Error('no replica');
        const shares = received.slice(0, -1).map(({ bytes, decoded, dropped }) => ({
          bytes: bytes / whole.bytes,
          decoded: decoded / whole.decoded,
          dropped: dropped / whole.decoded,
        }));
        const largest = (what: 'bytes' | 'decoded' | 'dropped'): number =>
          Math.max(...shares.map((share) => share[what]));
        console.log(
          `gate ${gate}, ${of} shards of ${PODS} pods: ${whole.bytes} bytes and ${whole.decoded} objects in all; ` +
            `largest share of bytes ${largest('bytes').toFixed(4)}, decoded ${largest('decoded').toFixed(4)}, ` +
            `dropped ${largest('dropped').toFixed(4)}`,
        );
        expect(largest('decoded')).toBeLessThanOrEqual(1 / of + MORE);
        if (isOn) {
          expect(largest('bytes')).toBeLessThanOrEqual(1 / of + MORE);
          expect(largest('dropped')).toBe(0);
        }
        // A busy machine may be slow to answer.
        expect(replicas.errors.filter(({ code }) => code !== 'KUBEFLECT_STALLED')).toEqual([]);
      } finally {
        await replicas.close();
      }
    },
  );
});
