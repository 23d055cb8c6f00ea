/**
 * What a contender process gets and prints. The task comes on standard input: arguments are visible to other users,
 * and a kubeconfig holds credentials. The result is the last line of standard output.
 */
import { readFileSync } from 'node:fs';
import type { EngineOptions } from 'kubeflect';

export type Encoding = 'json' | 'protobuf';
export type KubeConfigLike = NonNullable<EngineOptions['kubeConfig']>;

/**
 * Cluster and user of the kubeconfig, for contenders that would load client-node (60 MB of modules) only to parse it.
 */
export interface Identity {
  readonly cluster: ReturnType<KubeConfigLike['getCurrentCluster']>;
  readonly user: ReturnType<KubeConfigLike['getCurrentUser']>;
}

/** Options that are absent have the contender's own default. */
export interface Task {
  readonly kubeConfig: string;
  /** The number of pods. */
  readonly objects?: number;
  readonly workers?: number | undefined;
  readonly pageSize?: number | undefined;
  readonly list?: 'auto' | 'stream' | 'paged' | 'full' | undefined;
  readonly decoder?: 'auto' | 'simd' | 'json' | undefined;
  readonly encoding?: 'auto' | Encoding | undefined;
  readonly namespaces?: readonly string[];
  readonly shard?: { readonly index: number; readonly of: number };
  /** How many start at once, in the case `fleet`. */
  readonly engines?: number;
  /** Of the cases `restart` and `fleet`. */
  readonly snapshot?: {
    /** Without it, nothing is kept. */
    readonly directory?: string;
    readonly everyMs?: number;
    /** After synced, waits until the cache has this digest: it may have to catch up with what the watch brings. */
    readonly until?: string;
    /** How long to go on after synced, while the server's objects change. */
    readonly runMs?: number;
  };
}

export interface Measurement {
  readonly syncedMs: number;
  readonly cpuMs: number;
  /** Of the main thread, and of all others; on Linux only. */
  readonly cpuMainMs?: number;
  readonly cpuOthersMs?: number;
  /** The longest delay of the event loop, and percentiles of its delays; in JavaScript only. */
  readonly stallMs?: number;
  readonly delayP50Ms?: number;
  readonly delayP90Ms?: number;
  readonly delayP99Ms?: number;
  readonly delayP999Ms?: number;
  readonly peakResidentMB: number;
  readonly finalResidentMB: number;
  readonly heapMB: number;
  readonly externalMB?: number;
}

export interface Digest {
  readonly count: number;
  /** See digestOf. */
  readonly digest: string;
}

export interface ContenderResult extends Measurement, Partial<Digest> {
  /** Of the responses that it read. */
  readonly encoding: Encoding;
  /** What the cells of a cache take, as the engine counts them. */
  readonly heldMB?: number;
  readonly decoder?: string | undefined;
  /** Of the list, for a contender that only reads it. */
  readonly bytes?: number;
}

export function readTask(): Task & Identity {
  return JSON.parse(readFileSync(0, 'utf8')) as Task & Identity;
}

/** Prints the result and exits: nothing else is waited for. */
export function printResult<R extends ContenderResult>(result: R): void {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

export function kubeConfigOf({ cluster, user }: Identity): KubeConfigLike {
  return { getCurrentCluster: () => cluster, getCurrentUser: () => user };
}

/** The given object without its undefined properties: an engine rejects options that are undefined. */
export function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
