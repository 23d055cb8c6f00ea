#!/usr/bin/env node
/**
 * `npm run test:matrix`: the ordinary tests on every version of Node that is supported, one after another. The oldest runs with
 * client-node 1.4, the others with 2.x (vitest.config.ts). Other versions: `npm run test:matrix -- 24 26`.
 */
import { spawnSync } from 'node:child_process';

const VERSIONS = ['20', '22', '24', '26'];

const asked = process.argv.slice(2);
const failed = [];
for (const version of asked.length === 0 ? VERSIONS : asked) {
  console.log(`\n=== Node ${version}`);
  const { status } = spawnSync(process.execPath, ['scripts/test-node.mjs', version], { stdio: 'inherit' });
  if (status !== 0) failed.push(version);
}
if (failed.length > 0) {
  console.error(`\nfailed on Node ${failed.join(', ')}`);
  process.exit(1);
}
