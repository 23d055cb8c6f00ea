#!/usr/bin/env node
/** `npm run soak -- --minutes 20 [--server real|embedded]`: an engine that lives with faults for as long as it is told. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, server: { type: 'string', default: '' } },
});
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
