/**
 * `npm run test:matrix`: the tests that need no control plane, fast and slow, on every supported version of
 * Node, one after another. The oldest runs with
 * client-node 1.4, the others with 2.x (vitest.config.ts). `npm run test:matrix -- 24 26` runs these versions only.
 */
import { runOnNode } from './other-node.js';

const SUPPORTED = ['20', '22', '24', '26'];

const requested = process.argv.slice(2);
const failed: string[] = [];
for (const version of requested.length === 0 ? SUPPORTED : requested) {
  console.log(`\n=== Node ${version}`);
  const tests = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', '--project', 'slow'];
  if (runOnNode(version, tests) !== 0) failed.push(version);
}
if (failed.length > 0) {
  console.error(`\nfailed on Node ${failed.join(', ')}`);
  process.exitCode = 1;
}
