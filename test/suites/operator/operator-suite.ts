import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINALIZER, ROTATION_LABEL } from '../../../examples/api-token-operator/api-token.js';
import { isFinished, ObservedObjects } from './observed-objects.js';
import type { OperatorTarget } from './operator-target.js';
import { OperatorProgram, type Replica } from './replica.js';

const PATIENCE = { timeout: 120_000, interval: 50 };

/**
 * The example operator in two replicas, of which the leader is killed in the middle. The parts build on each other.
 */
export function describeOperator(
  name: string,
  { objects, open }: { readonly objects: number; readonly open: () => Promise<OperatorTarget> },
): void {
  describe(name, { timeout: 300_000 }, () => {
    const names = Array.from({ length: objects }, (_, i) => `token-${i}`);
    const replicas: Replica[] = [];
    let target: OperatorTarget;
    let program: OperatorProgram | undefined;
    let observed: ObservedObjects;

    beforeAll(async () => {
      [target, program] = await Promise.all([open(), OperatorProgram.compile()]);
      observed = await ObservedObjects.open(target);
    }, 120_000);
    afterAll(async () => {
      await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')));
      await program?.[Symbol.asyncDispose]();
      await observed?.[Symbol.asyncDispose]();
      target?.close();
    });

    async function start(): Promise<Replica> {
      const replica = (program as OperatorProgram).start(target.kubeConfigFile, target.namespace);
      replicas.push(replica);
      await replica.synced();
      return replica;
    }

    const running = (): Replica[] => replicas.filter(({ hasExited }) => !hasExited);
    const leader = (): Replica | undefined => running().find(({ isLeading }) => isLeading);

    async function leaderOf(some: readonly Replica[]): Promise<Replica> {
      await expect.poll(() => some.filter(({ isLeading }) => isLeading).length, PATIENCE).toBe(1);
      return some.find(({ isLeading }) => isLeading) as Replica;
    }

    /** How many have a status that fits what is wanted of them, of the API server's own view. */
    async function finished(): Promise<number> {
      const tokens = await target.tokens();
      return tokens.filter(isFinished).length;
    }

    /** Each ApiToken: one Secret, owned by it, of its rotation, which its status names. */
    async function everythingIsRight(): Promise<void> {
      await expect.poll(() => [observed.finished, observed.secrets], PATIENCE).toEqual([objects, objects]);
      // The watches may be behind.
      await expect.poll(finished, PATIENCE).toBe(objects);
      await expect.poll(async () => (await target.secrets()).length, PATIENCE).toBe(objects);
      const secrets = await target.secrets();
      for (const { metadata, spec, status } of await target.tokens()) {
        const owned = secrets.filter(
          (secret) =>
            secret.metadata?.ownerReferences?.some(
              ({ uid, controller }) => uid === metadata?.uid && controller === true,
            ) === true,
        );
        expect(owned.map((secret) => secret.metadata?.name)).toEqual([status?.secretName]);
        expect(owned[0]?.metadata?.labels?.[ROTATION_LABEL]).toBe(String(spec?.rotation));
        expect(owned[0]?.data?.['token']?.length).toBeGreaterThan(40);
        expect(metadata?.finalizers).toEqual([FINALIZER]);
      }
    }

    it('makes each Secret exactly once, although the leader is killed in the middle', async () => {
      const both = await Promise.all([start(), start()]);
      const first = await leaderOf(both);
      const half = Math.floor(objects / 2);
      await target.create(names.slice(0, half));
      const creating = target.create(names.slice(half));
      await expect.poll(() => observed.finished, PATIENCE).toBeGreaterThan(objects / 10);
      expect(await first.kill('SIGKILL')).toEqual([null, 'SIGKILL']);
      await creating;
      await leaderOf(both.filter((replica) => replica !== first));
      await everythingIsRight();
      await expect.poll(() => observed.created).toBe(objects);
      expect(observed.repeated).toEqual([]);
    });

    it('serves probes and metrics, also in the standby', async () => {
      const standby = await start();
      for (const replica of running()) {
        expect(await replica.get('/healthz')).toBe('ok\n');
        await expect.poll(() => replica.get('/readyz'), PATIENCE).toBe('ok\n');
      }
      const reconciles =
        /^controller_runtime_reconcile_total\{controller="api-tokens",result="success"\} (\d+)$/m;
      const counted = async (replica: Replica | undefined): Promise<number> =>
        Number(reconciles.exec((await replica?.get('/metrics')) ?? '')?.[1]);
      expect(await counted(leader())).toBeGreaterThan(0);
      expect(await counted(standby)).toBe(0);
      expect(await standby.get('/metrics')).toContain(
        'leader_election_master_status{name="api-token-operator"} 0',
      );
    });

    it('ends with 0 at SIGTERM in the middle, gives the Lease back, and the standby goes on at once', async () => {
      const first = leader() as Replica;
      const [standby] = running().filter((replica) => replica !== first) as [Replica];
      const identity = await target.holder();
      expect(standby.isLeading).toBe(false);
      const rotating = target.rotate(names.slice(0, Math.ceil(objects / 2)), 2);
      await expect.poll(() => observed.hasRotated(2)).toBe(true);
      expect(await first.kill('SIGTERM')).toEqual([0, null]);
      expect(first.printed).toContain('stopped');
      // It was given back: nobody had to wait until it expired, or the next one has it already.
      expect(await target.holder()).not.toBe(identity);
      await leaderOf([standby]);
      await rotating;
      await everythingIsRight();
      await expect.poll(() => observed.created).toBe(objects + Math.ceil(objects / 2));
      expect(observed.repeated).toEqual([]);
    });

    it('leaves no Secret, no object and no finalizer behind when everything is deleted', async () => {
      await target.delete(names);
      await expect.poll(() => observed.tokens, PATIENCE).toBe(0);
      expect(await target.tokens()).toEqual([]);
      expect(await target.secrets()).toEqual([]);
    });

    it('releases the Lease when the last replica is stopped', async () => {
      const [last] = running() as [Replica];
      expect(await last.kill('SIGTERM')).toEqual([0, null]);
      expect(await target.holder()).toBe('');
    });
  });
}
