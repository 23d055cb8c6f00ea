#!/usr/bin/env node
/** `npm run test:node -- 22 [test files]`: the ordinary tests on another version of Node. */
import { spawnSync } from 'node:child_process';

const [version, ...files] = process.argv.slice(2);
if (version === undefined) {
  console.error('usage: npm run test:node -- <major version of Node> [test files]');
  process.exit(2);
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', ...files];
const { status } = spawnSync(process.execPath, ['scripts/node.mjs', version, ...vitest], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
