import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll } from 'vitest';
import { describeOperator } from '../suites/operator/operator-suite.js';
import { OperatorTarget } from '../suites/operator/operator-target.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeflect-operator-'));
let server: ApiServerHandle | undefined;

afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

describeOperator('the example operator on the embedded server', {
  objects: 100,
  async open() {
    server = await startApiServer();
    const kubeConfigFile = join(folder, 'config');
    writeFileSync(kubeConfigFile, server.kubeConfig);
    return OperatorTarget.open(kubeConfigFile);
  },
});
