/** Metrics for Prometheus and a health endpoint, without another package. Ends at SIGTERM. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const pods = engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' });
pods.start();

const server = createServer((request, response) => {
  if (request.url === '/metrics') {
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(engine.metrics.text());
  } else if (request.url === '/healthz') {
    const { state, objects, lastAppliedAgeMs } = pods.health();
    response.statusCode = state === 'synced' ? 200 : 503;
    response.end(JSON.stringify({ state, objects, lastAppliedAgeMs }));
  } else response.writeHead(404).end();
});
server.listen(Number(process.env['PORT'] ?? 9090), '127.0.0.1', () => {
  console.log(`metrics at http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
});

await new Promise((resolve) => process.once('SIGTERM', resolve));
server.close();
server.closeAllConnections();
await engine.close();
