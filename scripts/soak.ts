/** `npm run soak -- --minutes 20 [--server real|embedded|pair]`: an engine that runs with faults for the given time. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const HELP = `usage: npm run soak -- [--minutes 1] [--server real|embedded|pair]

Kills a worker thread every 10 s and restarts the server every 3 minutes; compares the cache with a consistent list
every 30 s.
  --minutes N      duration
  --server NAME    real: the control plane of test/controlplane (the default if it was built);
                   embedded: the embedded API server;
                   pair: two real API servers of different versions on one etcd behind a TCP balancer. Every 5 s one
                   is taken away and the other brought back; one of three times it is restarted, too. Nothing else fails.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    server: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (
  values.help ||
  !(Number(values.minutes) > 0) ||
  !['', 'real', 'embedded', 'pair'].includes(values.server)
) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    ...(values.server === 'pair'
      ? ['outages', 'test/e2e/api-server-pair.test.ts']
      : ['loops', 'test/soak/soak.test.ts']),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      KUBEFLECT_SOAK_MINUTES: values.minutes,
      KUBEFLECT_PAIR_MINUTES: values.minutes,
      KUBEFLECT_SOAK_SERVER: values.server,
    },
  },
);
process.exit(status ?? 1);
