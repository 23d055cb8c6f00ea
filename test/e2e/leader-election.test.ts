import { readFileSync } from 'node:fs';
import { startApiServer } from 'kubeflect/testing';
import { inject } from 'vitest';
import { ApiClient } from '../conformance/harness/client.js';
import { readConnection } from '../conformance/harness/target.js';
import { describeElection } from '../suites/election/election-suite.js';

describeElection('a leader election on a real API server', async () => {
  const kubeConfig = readFileSync(inject('kubeConfigs').admin, 'utf8');
  const api = new ApiClient(await readConnection(kubeConfig));
  return { kubeConfig, api, close: async () => api.close() };
});

describeElection('a leader election on the embedded API server', async () => {
  const server = await startApiServer();
  const { kubeConfig } = server;
  const api = new ApiClient(await readConnection(kubeConfig));
  return {
    kubeConfig,
    api,
    close: async () => {
      api.close();
      await server.close();
    },
  };
});
