// An operator as a process of its own: `node manager-client.mjs <server> <milliseconds of a reconcile>`. Prints
// `reconciling` and `reconciled` with the key, and exits with the manager's code.
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from 'kubeflect';
import { runManager } from 'kubeflect/controller';

const [server, ms] = process.argv.slice(2);
const engine = new Engine({ connection: { server }, workers: 1 });
const manager = runManager({
  engine,
  controllers: [
    {
      informer: engine.informer({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' }),
      async reconcile(key) {
        console.log(`reconciling ${key}`);
        await sleep(Number(ms));
        console.log(`reconciled ${key}`);
      },
    },
  ],
});
process.exit(await manager.ended);
