/** The embedded API server as a target of the kubectl suite. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubectlExpectations, KubectlTarget } from './kubectl-suite.js';

interface TestingEntry {
  startApiServer: () => Promise<{ kubeConfig: string; close: () => Promise<void> }>;
}

/** False until the embedded server is part of the package; the import below becomes a plain one then. */
export const HAS_EMBEDDED_SERVER: boolean = existsSync(
  new URL('../../dist/src/testing/index.js', import.meta.url),
);

export const EMBEDDED_EXPECTATIONS: KubectlExpectations = {
  serverSideApply: 'unsupported',
  explain: 'untested',
};

export async function openEmbeddedTarget(kubectl: string): Promise<KubectlTarget> {
  const entry = 'kubeflect/testing';
  const { startApiServer } = (await import(entry)) as TestingEntry;
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
