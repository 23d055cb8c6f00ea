import { inject } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import { EMBEDDED_EXPECTATIONS, openEmbeddedTarget } from '../suites/kubectl/embedded-target.js';
import { describeKubectl } from '../suites/kubectl/kubectl-suite.js';

// The set-up of these tests has found or built it.
const { kubectl } = findBinaries()!;

describeKubectl(
  'kubectl on the real API server',
  async () => ({ kubectl, kubeConfig: inject('kubeConfigs').admin }),
  { explain: 'works' },
);

// Here too, because the tests without a control plane leave it out where there is no kubectl.
describeKubectl(
  'kubectl on the embedded API server',
  () => openEmbeddedTarget(kubectl),
  EMBEDDED_EXPECTATIONS,
);
