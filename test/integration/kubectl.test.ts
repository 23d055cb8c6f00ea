import { test } from 'vitest';
import { findBinaries } from '../controlplane/binaries.js';
import {
  EMBEDDED_EXPECTATIONS,
  HAS_EMBEDDED_SERVER,
  openEmbeddedTarget,
} from '../kubectl/embedded-target.js';
import { describeKubectl } from '../kubectl/kubectl-suite.js';

const kubectl = findBinaries()?.kubectl;

if (kubectl && HAS_EMBEDDED_SERVER) {
  describeKubectl(
    'kubectl on the embedded API server',
    () => openEmbeddedTarget(kubectl),
    EMBEDDED_EXPECTATIONS,
  );
} else {
  const missing = kubectl
    ? 'the embedded API server is not built'
    : 'there is no kubectl: npm run test:e2e builds it';
  console.warn(`kubectl on the embedded API server is not tested here: ${missing}`);
  test.skip(`kubectl on the embedded API server (${missing})`, () => {});
}
