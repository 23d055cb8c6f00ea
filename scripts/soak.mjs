#!/usr/bin/env node
/** `npm run soak -- --minutes 20 [--server real|embedded]`: an engine that lives with faults for as long as it is told. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const HELP = `usage: npm run soak -- [--minutes 1] [--server real|embedded]

Threads die every 10 s and the server is restarted every 3 minutes, while the cache is compared with an exact list every 30 s.
  --minutes N      for how long
  --server NAME    real: the control plane of test/controlplane; embedded: ours. Without it real if it was built`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    server: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !(Number(values.minutes) > 0) || !['', 'real', 'embedded'].includes(values.server)) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'loops', 'test/soak/soak.test.ts'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      KUBEFLECT_SOAK_MINUTES: values.minutes,
      KUBEFLECT_SOAK_SERVER: values.server,
    },
  },
);
process.exit(status ?? 1);
