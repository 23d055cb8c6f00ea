import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type KubernetesObject } from 'kubeflect';
import { expect, vi } from 'vitest';
import type { ApiClient } from '../../conformance/harness/client.js';
import { configMap } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import { readConnection } from '../../conformance/harness/target.js';
import { Candidate, type CandidateEvent } from './candidate.js';

export interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface ElectionTarget {
  readonly kubeConfig: string;
  readonly api: ApiClient;
  close(): Promise<void>;
}

interface LogEntry extends KubernetesObject {
  readonly data?: { readonly actor?: string; readonly action?: string; readonly phase?: string };
}

type TimedEvent = CandidateEvent & { readonly atMs: number };

const HOUR_MS = 3_600_000;
const WAIT = { timeout: 90_000, interval: 20 };

/** Candidates that compete for one Lease, and what they did. */
export class Contest {
  readonly #target: ElectionTarget;
  readonly #namespace: Sandbox;
  readonly #engine: Engine;
  readonly #times: ElectionTimes;
  readonly #clientGo: string;
  readonly #server: URL;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kubeflect-election-'));
  readonly #candidates: Candidate[] = [];
  readonly #events: TimedEvent[] = [];
  /** Every version of the log. */
  readonly #log: string[] = [];
  #started = 0;

  private constructor(
    target: ElectionTarget,
    server: URL,
    namespace: Sandbox,
    times: ElectionTimes,
    clientGo: string,
  ) {
    this.#target = target;
    this.#server = server;
    this.#namespace = namespace;
    this.#times = times;
    this.#clientGo = clientGo;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(target.kubeConfig);
    this.#engine = new Engine({ kubeConfig, workers: 1, onError: () => {} });
  }

  static async open(target: ElectionTarget, times: ElectionTimes, clientGo: string): Promise<Contest> {
    const { url } = await readConnection(target.kubeConfig);
    const contest = new Contest(target, url, await Sandbox.open(target.api), times, clientGo);
    await contest.#watchLog();
    return contest;
  }

  /** Ours have clocks that are an hour ahead and an hour behind, in turn. */
  async start(kind: 'ours' | 'client-go'): Promise<Candidate> {
    const number = ++this.#started;
    const candidate = await Candidate.start({
      identity: `${kind}-${number}`,
      clientGo: kind === 'ours' ? undefined : this.#clientGo,
      kubeConfig: this.#target.kubeConfig,
      server: this.#server,
      folder: this.#folder,
      namespace: this.#namespace.name,
      times: this.#times,
      skewMs: number % 2 === 0 ? HOUR_MS : -HOUR_MS,
      onEvent: (event) => void this.#events.push({ ...event, atMs: performance.now() }),
    });
    this.#candidates.push(candidate);
    await vi.waitUntil(() => this.#has(candidate, 'ready') || candidate.hasExited, WAIT);
    expect(candidate.hasExited, candidate.stderr).toBe(false);
    return candidate;
  }

  /** The candidate that acts now, by an action that begins from now on. */
  async leader(): Promise<Candidate> {
    const sinceMs = performance.now();
    const start = await vi.waitUntil(
      () => this.#events.find(({ event, atMs }) => event === 'start' && atMs > sinceMs),
      WAIT,
    );
    const leader = this.#candidates.find(({ identity }) => identity === start.actor);
    if (leader === undefined) throw new Error(`${start.actor} is no candidate`);
    return leader;
  }

  /** How long it takes from now until another candidate acts. */
  async successorOf(former: Candidate): Promise<number> {
    const sinceMs = performance.now();
    const start = await vi.waitUntil(
      () =>
        this.#events.find(
          ({ event, actor, atMs }) => event === 'start' && atMs > sinceMs && actor !== former.identity,
        ),
      WAIT,
    );
    return start.atMs - sinceMs;
  }

  /** The next event of this kind, from now on. */
  async event(candidate: Candidate, event: CandidateEvent['event']): Promise<CandidateEvent> {
    const sinceMs = performance.now();
    return vi.waitUntil(
      () =>
        this.#events.find(
          (one) => one.event === event && one.actor === candidate.identity && one.atMs > sinceMs,
        ),
      WAIT,
    );
  }

  /** Never two acted at the same time. */
  check(): { readonly actions: number; readonly actors: number; readonly rejected: number } {
    const conflicts = this.#events.filter(({ event }) => event === 'conflict');
    expect(
      conflicts.filter(({ isLeader }) => isLeader),
      'writes of a leader that were rejected because another candidate had written',
    ).toEqual([]);
    // An action that was not ended by its actor may be followed by any other; an end follows its own start.
    for (const [i, entry] of this.#log.entries()) {
      if (entry.endsWith('end')) expect(this.#log[i - 1]).toBe(entry.replace('end', 'start'));
    }
    const ends = this.#log.filter((entry) => entry.endsWith('end'));
    const actors = new Set(ends.map((entry) => entry.split(' ')[0]));
    return { actions: ends.length, actors: actors.size, rejected: conflicts.length };
  }

  async close(): Promise<void> {
    await Promise.all(this.#candidates.map((candidate) => candidate.close()));
    await this.#engine.close();
    await this.#namespace.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #has(candidate: Candidate, event: CandidateEvent['event']): boolean {
    return this.#events.some((one) => one.event === event && one.actor === candidate.identity);
  }

  async #watchLog(): Promise<void> {
    await this.#namespace.create('configmaps', configMap('log'));
    const informer = this.#engine.informer<LogEntry>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      plural: 'configmaps',
      namespace: this.#namespace.name,
      fieldSelector: 'metadata.name=log',
    });
    informer.addEventHandler({
      onUpdate: (_, { object: { data } }) =>
        void this.#log.push(`${data?.actor} ${data?.action} ${data?.phase}`),
    });
    informer.start();
    await informer.synced;
  }
}
