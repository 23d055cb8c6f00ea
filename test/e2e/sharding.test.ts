/** `shardSelector` of a real API server, whose feature gate is alpha and off by default. Before 1.36 it does not exist. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetOf } from '../conformance/harness/target.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { minorOf, selectedVersion } from '../controlplane/versions.js';
import { shardSelectorSuite } from '../suites/sharding/selector-suite.js';

const MINOR = Number(minorOf(selectedVersion()).split('.')[1]);
const HAS_FEATURE = MINOR >= 36;
const FLAGS = HAS_FEATURE ? ['--feature-gates=ShardedListAndWatch=true'] : [];

describe('a real API server', () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ apiServerFlags: FLAGS });
  });
  afterAll(() => controlPlane.stop());

  shardSelectorSuite(() => targetOf(readFileSync(controlPlane.kubeConfigs.admin, 'utf8')), {
    isOn: HAS_FEATURE,
    countsRemaining: MINOR <= 36,
  });

  it('accepts the flag of the feature gate', () => {
    expect(FLAGS.length > 0).toBe(HAS_FEATURE);
  });
});
