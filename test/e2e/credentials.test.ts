import { afterAll } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { openControlPlane } from '../suites/credentials/control-plane-target.js';
import { describeCredentials } from '../suites/credentials/credential-suite.js';

// A separate control plane: only the process that started it can issue client certificates.
let controlPlane: ControlPlane | undefined;
afterAll(() => controlPlane?.stop());

describeCredentials('credentials on a real API server', async () => {
  controlPlane = await startControlPlane();
  return openControlPlane(controlPlane);
});
