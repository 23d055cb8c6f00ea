/** The embedded API server as a target of the kubectl suite. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from 'kubeflect/testing';
import type { KubectlExpectations, KubectlTarget } from './kubectl-suite.js';

export const EMBEDDED_EXPECTATIONS: KubectlExpectations = { explain: 'untested' };

export async function openEmbeddedTarget(kubectl: string): Promise<KubectlTarget> {
  const server = await startApiServer();
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-embedded-'));
  const kubeConfig = join(folder, 'kubeconfig');
  writeFileSync(kubeConfig, server.kubeConfig, { mode: 0o600 });
  return {
    kubectl,
    kubeConfig,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
