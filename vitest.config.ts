import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests import what is shipped: `kubeflect`, `kubeflect/testing` and `#dist/…` are the built files, because
// workers are loaded by file address. Keeping them out of the transform makes both threads run the same code.
const built = { server: { deps: { external: [/\/dist\//] } } };

/** client-node 2.x needs a newer Node than we do: its undici does not load below this. */
const NODE_OF_CLIENT_NODE_2 = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = NODE_OF_CLIENT_NODE_2;
const canLoad2 = major > leastMajor || (major === leastMajor && minor >= leastMinor);

// Tests are written against client-node's names that 1.4 and 2.x share, and run with the newest that Node can load.
const clientNode = canLoad2 ? 'client-node-2' : '@kubernetes/client-node';

const endToEnd = {
  globalSetup: ['test/controlplane/global-setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 180_000,
  fileParallelism: false,
};
/** They wait most of the time: scripts/test-e2e.mjs runs them beside the others. */
const outages = ['test/e2e/black-hole.test.ts', 'test/e2e/informers-outages.test.ts'];

export default defineConfig({
  resolve: { alias: { '@kubernetes/client-node': clientNode } },
  test: {
    env: { KUBEFLECT_CLIENT_NODE: clientNode },
    ...built,
    // What does not come at once may come late on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          setupFiles: ['test/support/time/fast-check-seed.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,soak}/**'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Files mostly wait, for sockets and timers: two at a time, where Vitest would take one on two cores.
          maxWorkers: Math.max(2, availableParallelism() - 1),
        },
      },
      {
        extends: true,
        test: {
          name: 'loops',
          include: ['test/engine/*-loop.test.ts', 'test/soak/*.test.ts'],
          env: { KUBEFLECT_LOOPS: 'full' },
          // Memory is looked at when nothing is left to be collected.
          execArgv: ['--expose-gc'],
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{e2e,conformance}/**/*.test.ts'],
          exclude: outages,
          ...endToEnd,
        },
      },
      { extends: true, test: { name: 'outages', include: outages, ...endToEnd } },
    ],
  },
});
