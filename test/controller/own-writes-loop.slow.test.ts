import { type KubernetesObject, type ObjectMeta, type ReconcileContext, runController } from 'kubeflect';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { isFullLoop } from '../support/engine/loops.js';
import { SeededRandom } from '../support/time/seeded-random.js';

interface Parent extends KubernetesObject {
  metadata?: ObjectMeta;
  data?: { wanted?: string };
}

const PARENTS = 20;
const RECONCILES = isFullLoop ? 10_000 : 2000;
const NAMESPACE = 'default';
/** The watch of the children ends so often that their cache is behind again and again. */
const WATCH_MS = 150;

interface Churn {
  readonly reconciles: number;
  readonly creations: number;
  /** Creations of a second child of a parent. */
  readonly duplicates: number;
  /** Deletions of a child that was deleted before. */
  readonly repeatedDeletions: number;
  readonly timeouts: number;
}

/**
 * Each parent wants a child or none, and changes its mind all the time. Children have generated names, so that only the
 * cache tells whether there is one.
 */
async function churn({ reportsWrites }: { reportsWrites: boolean }): Promise<Churn> {
  const world = await EngineFixture.start();
  const random = new SeededRandom(21);
  const { server } = world;
  await server.faults.add({
    match: { verb: 'watch', query: { labelSelector: 'role=child' } },
    fault: { type: 'closeAfterMs', ms: WATCH_MS },
  });
  const name = (i: number): string => `parent-${i}`;
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE };
  for (let i = 0; i < PARENTS; i++) {
    const metadata = { name: name(i), namespace: NAMESPACE, labels: { role: 'parent' } };
    await server.create({ ...target, metadata });
  }
  const engine = world.engine();
  const parents = engine.informer<Parent>({ ...CONFIG_MAPS, labelSelector: 'role=parent' });
  const children = engine.informer({
    ...CONFIG_MAPS,
    labelSelector: 'role=child',
    indexers: { byParent: "metadata.labels['parent']" },
    advanced: { reflector: { minReconnectIntervalMs: 1 } },
  });
  const alive = new Map<string, Set<string>>();
  const counts = { reconciles: 0, creations: 0, duplicates: 0, repeatedDeletions: 0 };

  const create = async (parent: string, { wrote }: ReconcileContext): Promise<void> => {
    const labels = { role: 'child', parent };
    const metadata = { generateName: `${parent}-`, namespace: NAMESPACE, labels };
    const created = await server.create({ ...target, metadata } as KubernetesObject as never);
    if (reportsWrites) wrote(children, created);
    counts.creations++;
    const own = alive.get(parent) ?? new Set();
    alive.set(parent, own.add(created.metadata?.name ?? ''));
    if (own.size > 1) counts.duplicates++;
  };
  const remove = async (parent: string, child: KubernetesObject, { wroteDelete }: ReconcileContext) => {
    const childName = child.metadata?.name ?? '';
    if (!alive.get(parent)?.delete(childName)) {
      counts.repeatedDeletions++;
      return;
    }
    await server.delete({ ...target, name: childName });
    if (reportsWrites) wroteDelete(children, child, { kind: 'Status', status: 'Success' });
  };

  const controller = runController<Parent>({
    informer: parents,
    watches: [
      { informer: children, keys: ({ name: child }) => [`${NAMESPACE}/${child.replace(/-\w+$/, '')}`] },
    ],
    concurrency: 4,
    metrics: engine.metrics,
    async reconcile(key, context) {
      counts.reconciles++;
      const wanted = parents.lister.get(key)?.data?.wanted === 'yes';
      const parent = key.slice(NAMESPACE.length + 1);
      const own = children.lister.byIndex('byParent', parent);
      if (wanted && own.length === 0) await create(parent, context);
      if (!wanted) for (const child of own) await remove(parent, child, context);
    },
  });
  try {
    await controller.synced;
    const isOver = (): boolean =>
      counts.reconciles >= RECONCILES ||
      (!reportsWrites && counts.duplicates > 0 && counts.repeatedDeletions > 0);
    const change = async (): Promise<void> => {
      while (!isOver()) {
        const data = { wanted: random.chance(0.7) ? 'yes' : 'no', at: String(random.between(0, 1e9)) };
        await server.patch({ ...target, name: name(random.between(0, PARENTS - 1)) }, { data });
      }
    };
    await Promise.all(Array.from({ length: 4 }, change));
    await controller.stop({ drain: true, timeoutMs: 60_000 });
  } finally {
    await controller.stop();
    await world.close();
  }
  const timeouts = /^kubeflect_controller_held_timeouts_total\{.*\} (\d+)$/m.exec(engine.metrics.text())?.[1];
  return { ...counts, timeouts: Number(timeouts) };
}

describe('a controller whose watch is behind, under churn', () => {
  it('creates a child twice if it does not report what it writes', async () => {
    const { duplicates, repeatedDeletions } = await churn({ reportsWrites: false });
    expect({ duplicates, repeatedDeletions }).toEqual({
      duplicates: expect.toSatisfy((count: number) => count > 0),
      repeatedDeletions: expect.toSatisfy((count: number) => count > 0),
    });
  }, 300_000);

  it('never creates or deletes a child twice if it does', async () => {
    const { reconciles, creations, ...wrong } = await churn({ reportsWrites: true });
    expect(reconciles).toBeGreaterThanOrEqual(RECONCILES);
    expect(creations).toBeGreaterThan(RECONCILES / 100);
    expect(wrong).toEqual({ duplicates: 0, repeatedDeletions: 0, timeouts: 0 });
  }, 900_000);
});
