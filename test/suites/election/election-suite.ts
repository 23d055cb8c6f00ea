import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Candidate } from './candidate.js';
import { buildClientGoCandidate } from './client-go-program.js';
import { Contest, type ElectionTarget, type ElectionTimes } from './contest.js';

/** What the election promises with client-go's times, if the API server can be reached. */
const SUCCESSOR_AFTER_CRASH_MS = 20_000;
const SUCCESSOR_AFTER_RELEASE_MS = 3000;

const DEFAULT_TIMES: ElectionTimes = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};
const SHORT_TIMES: ElectionTimes = { leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 };

/** `full`: with client-go's times, for three minutes at least, and the main thread is blocked for 20 s. */
const IS_FULL = process.env['KUBEFLECT_ELECTION'] === 'full';
const TIMES = IS_FULL ? DEFAULT_TIMES : SHORT_TIMES;
const LASTS_MS = IS_FULL ? 180_000 : 0;
/** Longer than the lease, by more than the time in which a successor is found. */
const HELD_UP_MS = TIMES.leaseDurationMs + 5000;

export function describeElection(name: string, open: () => Promise<ElectionTarget>): void {
  describe.concurrent(name, () => {
    let target: ElectionTarget;
    let contest: Contest;

    beforeAll(async () => {
      const clientGo = await buildClientGoCandidate();
      target = await open();
      contest = await Contest.open(target, TIMES, clientGo);
    }, 600_000);
    afterAll(async () => {
      await contest.close();
      await target.close();
    });

    test('never two candidates of client-go and ours act, whatever happens to the leader, and successors are in time', async () => {
      const beganMs = performance.now();
      const run = new Disturbances(contest, name);
      await contest.start('client-go');
      await contest.start('ours');
      await contest.start('ours');
      do await run.all();
      while (performance.now() - beganMs < LASTS_MS);
      const { actions, actors, rejected } = contest.check();
      console.log(
        `${name}: ${actions} actions of ${actors} candidates, ${rejected} late writes were rejected\n${run.report}`,
      );
      expect(actions).toBeGreaterThan(20);
      expect(actors).toBeGreaterThan(3);
    }, 900_000);
  });
}

/** What is done to the leader, one after the other. */
class Disturbances {
  readonly #contest: Contest;
  readonly #name: string;
  readonly #lines: string[] = [];

  constructor(contest: Contest, name: string) {
    this.#contest = contest;
    this.#name = name;
  }

  get report(): string {
    return this.#lines.join('\n');
  }

  async all(): Promise<void> {
    await this.#release();
    await this.#crash();
    await this.#stopProcess();
    await this.#partition();
    await this.#loseResponses();
    await this.#blockMainThread();
    await this.#leadWithClientGo();
  }

  async #release(): Promise<void> {
    const leader = await this.#contest.leader();
    leader.signal('SIGTERM');
    await this.#expectSuccessor('a release', leader, SUCCESSOR_AFTER_RELEASE_MS);
    await this.#replace(leader);
  }

  async #crash(): Promise<void> {
    const leader = await this.#contest.leader();
    leader.signal('SIGKILL');
    await this.#expectSuccessor('a crash', leader, SUCCESSOR_AFTER_CRASH_MS);
    await this.#replace(leader);
  }

  /** client-go's own view has no clock: only ours are stopped. */
  async #stopProcess(): Promise<void> {
    const leader = await this.#ourLeader();
    const lost = this.#contest.event(leader, 'lost');
    leader.signal('SIGSTOP');
    // The time for which the process is stopped.
    const continued = sleep(HELD_UP_MS).then(() => leader.signal('SIGCONT'));
    await this.#expectSuccessor('SIGSTOP', leader, HELD_UP_MS + SUCCESSOR_AFTER_CRASH_MS);
    await continued;
    await lost;
  }

  async #partition(): Promise<void> {
    const leader = await this.#contest.leader();
    leader.partition();
    await this.#expectSuccessor('a partition', leader, HELD_UP_MS + SUCCESSOR_AFTER_CRASH_MS);
    leader.heal();
  }

  /** Writes are applied, and their writer does not know. */
  async #loseResponses(): Promise<void> {
    const leader = await this.#ourLeader();
    for (let times = 0; times < 3; times++) {
      leader.loseResponses();
      // The duration of the fault: a renewal falls into it.
      await sleep(TIMES.retryPeriodMs);
      leader.heal();
      // The time without it: a renewal succeeds.
      await sleep(TIMES.retryPeriodMs / 2);
    }
    await this.#contest.leader();
  }

  /** Another candidate may lead meanwhile; or this one begins another term. */
  async #blockMainThread(): Promise<void> {
    const leader = await this.#ourLeader();
    const unblocked = this.#contest.event(leader, 'unblocked');
    leader.blockFor(IS_FULL ? 20_000 : HELD_UP_MS);
    expect(await unblocked).toMatchObject({ isLeader: false, isAborted: true });
    await this.#contest.leader();
  }

  /** All others are released one after the other, until client-go leads; then that is released. */
  async #leadWithClientGo(): Promise<void> {
    let leader = await this.#contest.leader();
    for (let attempts = 0; !leader.isClientGo && attempts < 10; attempts++) {
      leader.signal('SIGTERM');
      await this.#contest.successorOf(leader);
      await this.#retire(leader);
      leader = await this.#contest.leader();
      if (leader.isClientGo) break;
    }
    expect(leader.isClientGo, 'client-go leads').toBe(true);
    await this.#contest.start('ours');
    await this.#contest.start('ours');
    leader.signal('SIGTERM');
    await this.#expectSuccessor('a release by client-go', leader, SUCCESSOR_AFTER_RELEASE_MS);
    await this.#replace(leader);
  }

  /** Makes client-go give the Lease back until one of ours has it. */
  async #ourLeader(): Promise<Candidate> {
    for (;;) {
      const leader = await this.#contest.leader();
      if (!leader.isClientGo) return leader;
      leader.signal('SIGTERM');
      await this.#expectSuccessor('a release by client-go', leader, SUCCESSOR_AFTER_RELEASE_MS);
      await this.#replace(leader);
    }
  }

  async #expectSuccessor(after: string, former: Candidate, withinMs: number): Promise<void> {
    const ms = await this.#contest.successorOf(former);
    this.#lines.push(`  ${Math.round(ms)} ms after ${after} of ${former.identity}`);
    expect(ms, `${this.#name}: a successor of ${former.identity} after ${after}`).toBeLessThan(withinMs);
  }

  async #retire(candidate: Candidate): Promise<void> {
    await vi.waitUntil(() => candidate.hasExited, { timeout: 20_000 });
    await candidate.close();
  }

  async #replace(candidate: Candidate): Promise<void> {
    await this.#retire(candidate);
    await this.#contest.start(candidate.isClientGo ? 'client-go' : 'ours');
  }
}
