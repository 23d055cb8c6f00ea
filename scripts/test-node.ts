/** `npm run test:node -- 22 [test files]`: the tests that need no control plane, fast and slow, on another version of Node. */
import { runOnNode } from './other-node.js';

const [version, ...files] = process.argv.slice(2);
if (version === undefined) {
  console.error('usage: npm run test:node -- <major version of Node> [test files]');
  process.exit(2);
}
process.exitCode = runOnNode(version, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'fast',
  '--project',
  'slow',
  ...files,
]);
