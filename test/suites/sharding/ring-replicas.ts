/** Processes that form a ring, what is done to them, and what their logs say. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpBalancer } from '../pair/tcp-balancer.js';

const PROGRAM = new URL('../../support/processes/ring-replica.mjs', import.meta.url);
/** Longer than a member may be silent, in some cases. */
const LONGEST_FAULT_MS = 22_000;
/** Around a gap: what happened then. */
const CONTEXT_MS = 30_000;

interface LogLine {
  readonly atMs: number;
  readonly type: 'acquired' | 'draining' | 'lost' | 'begin' | 'end' | 'left';
  readonly shard?: number;
  readonly key?: string;
  readonly outcome?: 'written' | 'conflict' | 'failed' | 'aborted';
}

interface Replica {
  readonly number: number;
  readonly child: ChildProcess;
  readonly balancer: TcpBalancer;
  readonly lines: LogLine[];
  endedMs: number | undefined;
}

interface Span {
  readonly replica: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RingReplicasOptions {
  readonly port: number;
  readonly namespace: string;
  /** Writes a kubeconfig of the server at this URL; returns its path. */
  readonly render: (url: string, number: number) => string;
}

export class RingReplicas {
  readonly faults: string[] = [];
  /** With times and processes, to explain a gap. */
  readonly history: string[] = [];
  readonly #options: RingReplicasOptions;
  readonly #replicas: Replica[] = [];

  constructor(options: RingReplicasOptions) {
    this.#options = options;
  }

  async add(): Promise<void> {
    const { port, namespace, render } = this.#options;
    const number = this.#replicas.length;
    const balancer = await TcpBalancer.start([port]);
    const child = spawn(process.execPath, [PROGRAM.pathname], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, RING_KUBECONFIG: render(balancer.url, number), RING_NAMESPACE: namespace },
    });
    const replica: Replica = { number, child, balancer, lines: [], endedMs: undefined };
    if (child.stdout === null) throw new Error('the replica has no output');
    createInterface(child.stdout).on('line', (line) => replica.lines.push(JSON.parse(line) as LogLine));
    child.once('exit', () => {
      replica.endedMs ??= now();
    });
    this.#replicas.push(replica);
  }

  /** Something happens to one of them. Those that are gone are replaced, up to `members`. */
  async injectFault(members: number): Promise<void> {
    const living = this.#replicas.filter(({ endedMs }) => endedMs === undefined);
    if (living.length < members) {
      this.faults.push('add');
      await this.add();
      return;
    }
    const replica = living[Math.floor(Math.random() * living.length)] as Replica;
    const fault = ['kill', 'stop', 'partition', 'remove'][Math.floor(Math.random() * 4)] as string;
    this.faults.push(fault);
    const forMs = Math.random() * LONGEST_FAULT_MS;
    this.history.push(`${Math.round(now())} ${fault} of ${replica.number} for ${Math.round(forMs)} ms`);
    if (fault === 'kill') {
      replica.endedMs = now();
      replica.child.kill('SIGKILL');
    } else if (fault === 'remove') {
      replica.endedMs = Number.POSITIVE_INFINITY;
      replica.child.kill('SIGTERM');
    } else if (fault === 'stop') {
      replica.child.kill('SIGSTOP');
      // So long it stands still.
      void sleep(forMs).then(() => replica.child.kill('SIGCONT'));
    } else {
      replica.balancer.takeAway(this.#options.port);
      // So long it reaches nothing.
      void sleep(forMs).then(() => replica.balancer.bringBack(this.#options.port));
    }
  }

  heal(): void {
    for (const { child, balancer } of this.#replicas) {
      child.kill('SIGCONT');
      balancer.bringBack(this.#options.port);
    }
  }

  /** How many shards were acquired so far, by anyone. */
  get acquired(): number {
    return this.#replicas.flatMap(({ lines }) => lines).filter(({ type }) => type === 'acquired').length;
  }

  get living(): number {
    return this.#replicas.filter(({ endedMs }) => endedMs === undefined).length;
  }

  /** Ends one in an orderly way. */
  remove(): void {
    const replica = this.#replicas.find(({ endedMs }) => endedMs === undefined);
    if (replica === undefined) return;
    replica.endedMs = Number.POSITIVE_INFINITY;
    replica.child.kill('SIGTERM');
  }

  /** Each living member owns its share, rounded up, at most; every shard is owned; and nothing has moved for a while. */
  isCalm(shards: number, forMs: number): boolean {
    const living = this.#replicas.filter(({ endedMs }) => endedMs === undefined);
    const owned = living.map(({ lines }) => {
      const own = new Set<number>();
      for (const { type, shard } of lines) {
        if (type === 'acquired' && shard !== undefined) own.add(shard);
        if (type === 'lost' && shard !== undefined) own.delete(shard);
      }
      return own.size;
    });
    const lastMs = Math.max(...this.#replicas.flatMap(({ lines }) => lines.map(({ atMs }) => atMs)));
    const share = Math.ceil(shards / living.length);
    const isShared = owned.every((own) => own > 0 && own <= share);
    return isShared && owned.reduce((sum, own) => sum + own, 0) === shards && now() - lastMs > forMs;
  }

  verdict(): {
    readonly overlaps: readonly string[];
    readonly longestGapMs: number;
    /** Who did what with the shard of that gap, and the faults. */
    readonly gap: readonly string[];
    readonly moves: number;
    readonly written: number;
  } {
    const lines = this.#replicas.flatMap((replica) => replica.lines);
    return {
      overlaps: this.#overlaps(),
      ...this.#longestGap(),
      moves: lines.filter(({ type }) => type === 'acquired').length,
      written: lines.filter(({ outcome }) => outcome === 'written').length,
    };
  }

  async close(): Promise<void> {
    this.heal();
    for (const { child } of this.#replicas) child.kill('SIGKILL');
    await Promise.all(this.#replicas.map(({ balancer }) => balancer.close()));
  }

  /** Pairs of reconciles of one object by two processes at once. One that saw that it was aborted has written nothing. */
  #overlaps(): string[] {
    const spans = new Map<string, Span[]>();
    for (const { number, lines, endedMs } of this.#replicas) {
      const begun = new Map<string, number>();
      const add = (key: string, toMs: number): void => {
        const fromMs = begun.get(key);
        begun.delete(key);
        if (fromMs === undefined) return;
        spans.set(key, [...(spans.get(key) ?? []), { replica: number, fromMs, toMs }]);
      };
      for (const { type, key = '', atMs, outcome } of lines) {
        if (type === 'begin') begun.set(key, atMs);
        else if (type === 'end' && outcome === 'aborted') begun.delete(key);
        else if (type === 'end') add(key, atMs);
      }
      for (const key of [...begun.keys()]) add(key, endedMs ?? now());
    }
    const overlaps: string[] = [];
    for (const [key, all] of spans) {
      all.sort((a, b) => a.fromMs - b.fromMs);
      for (const [i, span] of all.entries()) {
        const next = all[i + 1];
        if (next !== undefined && next.replica !== span.replica && next.fromMs < span.toMs) {
          overlaps.push(
            `${key} by ${span.replica} until ${span.toMs}, by ${next.replica} from ${next.fromMs}`,
          );
        }
      }
    }
    return overlaps;
  }

  /** The longest time in which no process had a shard, since one had it first. */
  #longestGap(): { readonly longestGapMs: number; readonly gap: readonly string[] } {
    const owned = new Map<number, Span[]>();
    for (const { number, lines, endedMs = Number.POSITIVE_INFINITY } of this.#replicas) {
      const since = new Map<number, number>();
      const end = (shard: number, toMs: number): void => {
        const fromMs = since.get(shard);
        since.delete(shard);
        if (fromMs === undefined) return;
        owned.set(shard, [...(owned.get(shard) ?? []), { replica: number, fromMs, toMs }]);
      };
      for (const { type, shard, atMs } of lines) {
        if (shard === undefined) continue;
        if (type === 'acquired') since.set(shard, atMs);
        else if (type === 'lost') end(shard, atMs);
      }
      for (const shard of [...since.keys()]) end(shard, endedMs);
    }
    let longest = { ms: 0, shard: -1, fromMs: 0, toMs: 0 };
    for (const [shard, spans] of owned) {
      const see = (fromMs: number, toMs: number): void => {
        if (toMs - fromMs > longest.ms) longest = { ms: toMs - fromMs, shard, fromMs, toMs };
      };
      spans.sort((a, b) => a.fromMs - b.fromMs);
      let untilMs = spans[0]?.toMs ?? 0;
      for (const { fromMs, toMs } of spans) {
        see(untilMs, fromMs);
        untilMs = Math.max(untilMs, toMs);
      }
      if (untilMs !== Number.POSITIVE_INFINITY) see(untilMs, now());
    }
    const { ms, shard, fromMs, toMs } = longest;
    const events = this.#replicas.flatMap(({ number, lines }) =>
      lines
        .filter(
          (line) => line.shard === shard && line.atMs > fromMs - CONTEXT_MS && line.atMs < toMs + CONTEXT_MS,
        )
        .map(({ atMs, type }) => `${Math.round(atMs)} ${number} ${type} ${shard}`),
    );
    const faults = this.history.filter((line) => {
      const atMs = Number.parseInt(line, 10);
      return atMs > fromMs - CONTEXT_MS && atMs < toMs;
    });
    return { longestGapMs: ms, gap: [...events, ...faults].sort() };
  }
}

function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
