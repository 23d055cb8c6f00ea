/**
 * An operator as it runs in a cluster, in two replicas of which one is the leader: see deployment.yaml. Ends at SIGTERM,
 * with 0 if everything is in order.
 */

import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { runManager } from 'kubeflect/controller';
import { reconcileApiTokens } from './reconcile-api-tokens.js';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig, workers: 1 });
const manager = runManager({
  engine,
  controllers: [reconcileApiTokens(engine, kubeConfig)],
  leaderElection: {
    name: 'api-token-operator',
    namespace: process.env['POD_NAMESPACE'] ?? 'default',
    onStartedLeading: () => console.log('leading'),
  },
  health: { host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) },
});
manager.synced.then(
  () => console.log(`synced, ${manager.healthUrl}`),
  () => {},
);
const exitCode = await manager.ended;
console.log(manager.failure === undefined ? 'stopped' : `failed: ${manager.failure.message}`);
process.exit(exitCode);
