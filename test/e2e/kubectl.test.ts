import { inject } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import { EMBEDDED_EXPECTATIONS, openEmbeddedTarget } from '../suites/kubectl/embedded-target.js';
import { describeKubectl } from '../suites/kubectl/kubectl-suite.js';

// The global set-up has found or built it.
const { kubectl } = findBinaries()!;

describeKubectl(
  'kubectl on the real API server',
  async () => ({ kubectl, kubeConfig: inject('kubeConfigs').admin }),
  { explain: 'works' },
);

// The tests without a control plane omit this suite where there is no kubectl.
describeKubectl(
  'kubectl on the embedded API server',
  () => openEmbeddedTarget(kubectl),
  EMBEDDED_EXPECTATIONS,
);
