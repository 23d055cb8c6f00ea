import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests import what is shipped: `kubeflect`, `kubeflect/testing` and `#dist/…` are the built files, because
// workers are loaded by file URL. Keeping them out of the transform makes both threads run the same code.
const built = { server: { deps: { external: [/\/dist\//] } } };

/** client-node 2.x needs a newer Node than kubeflect does: its undici does not load below this version. */
const CLIENT_NODE_2_MIN_NODE = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [minMajor, minMinor] = CLIENT_NODE_2_MIN_NODE;
const canLoadClientNode2 = major > minMajor || (major === minMajor && minor >= minMinor);

// Tests use only the names that client-node 1.4 and 2.x share, and run with the newest version that Node can load.
const clientNode = canLoadClientNode2 ? 'client-node-2' : '@kubernetes/client-node';

/** `fast` is `npm test`; `slow`, `npm run test:slow`, is the rest of the tests that need no control plane. */
const ordinary = {
  setupFiles: ['test/support/time/fast-check-seed.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Test files mostly wait for sockets and timers: two at a time, where Vitest would run one on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
};
const SLOW = 'test/**/*.slow.test.ts';

const endToEnd = {
  globalSetup: ['test/controlplane/global-setup.ts'],
  // Two servers, the client and the test share the cores.
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 120_000,
  hookTimeout: 180_000,
  fileParallelism: false,
};
/** These mostly wait: scripts/test-e2e.ts runs them in parallel with the others. */
const outages = [
  'test/e2e/api-server-pair.test.ts',
  'test/e2e/black-hole.test.ts',
  'test/e2e/cluster-identity.test.ts',
  'test/e2e/informers-outages.test.ts',
  'test/e2e/ring.test.ts',
  'test/e2e/leader-election.test.ts',
];

export default defineConfig({
  resolve: { alias: { '@kubernetes/client-node': clientNode } },
  test: {
    env: { KUBEFLECT_CLIENT_NODE: clientNode },
    ...built,
    // A busy machine may need longer than Vitest's default of one second.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,soak}/**', SLOW],
          ...ordinary,
        },
      },
      { extends: true, test: { name: 'slow', include: [SLOW], ...ordinary } },
      {
        extends: true,
        test: {
          name: 'loops',
          include: ['test/{engine,controller}/*-loop.slow.test.ts', 'test/soak/*.test.ts'],
          env: { KUBEFLECT_LOOPS: 'full' },
          // Memory is measured after a garbage collection.
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
