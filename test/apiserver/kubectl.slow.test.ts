import { test } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import { EMBEDDED_EXPECTATIONS, openEmbeddedTarget } from '../suites/kubectl/embedded-target.js';
import { describeKubectl } from '../suites/kubectl/kubectl-suite.js';

const kubectl = findBinaries()?.kubectl;

if (kubectl) {
  describeKubectl(
    'kubectl on the embedded API server',
    () => openEmbeddedTarget(kubectl),
    EMBEDDED_EXPECTATIONS,
  );
} else {
  const missing = 'there is no kubectl here, npm run test:e2e builds it';
  console.warn(`kubectl on the embedded API server is not tested: ${missing}`);
  test.skip(`kubectl on the embedded API server (${missing})`, () => {});
}
