/** Own writes on a real API server whose etcd has counted beyond 2^53, where versions are no longer exact as numbers. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { minorOf, selectedVersion } from '../controlplane/versions.js';
import { openRealTarget } from '../suites/informers/control-plane-target.js';
import { describeOwnWrites } from '../suites/own-writes/own-writes-suite.js';

/** The tool that counts up comes with etcd 3.6. */
const CAN_COUNT_UP = Number(minorOf(selectedVersion()).split('.')[1]) >= 34;
const BASE = 2n ** 53n;

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  if (CAN_COUNT_UP) await controlPlane.restoreBeyond(BASE);
});
afterAll(() => controlPlane.stop());

describeOwnWrites(
  `own writes on a real API server with versions ${CAN_COUNT_UP ? 'beyond 2^53' : 'from 1'}`,
  () => openRealTarget(controlPlane.kubeConfigs.admin),
);

describe('the API server', () => {
  it(`has versions ${CAN_COUNT_UP ? 'beyond 2^53' : 'from 1'}`, async () => {
    const { api, close } = await openRealTarget(controlPlane.kubeConfigs.admin);
    const { json } = await api.get('/api/v1/namespaces', { limit: 1 });
    expect(BigInt(json.metadata.resourceVersion ?? '0') > BASE).toBe(CAN_COUNT_UP);
    await close();
  });
});
