/**
 * The calls that every driven contender answers, in any language: see runner/driven-process.ts. Programs in other
 * languages get them as lines of JSON on standard input, and answer with lines of JSON on standard output.
 */
import type { RecordedEvents } from './recording.js';
import type { Digest, Encoding, Identity } from './task.js';

/**
 * What the handler of an update does. `key`: takes namespace and name, as a handler that fills a work queue does.
 * `object`: reads metadata, labels, the node's name and the phase. `reconcile`: puts the key into the work queue;
 * what is measured is `reconcile`, which reads the object from the cache.
 */
export type HandlerKind = 'key' | 'object' | 'reconcile';

/**
 * How a program reads everything: `scan` and `list` decode each object, in slices and in one turn of the event loop;
 * `entries` takes the keys. Peers have `list` only.
 */
export const READERS = ['scan', 'entries', 'list'] as const;
export type Reader = (typeof READERS)[number];

export interface DrivenTask extends Identity {
  readonly kubeConfig: string;
  /** The number of pods, for contenders that do not say when they have synced. */
  readonly objects?: number;
  readonly encoding?: 'auto' | Encoding;
  readonly handler?: HandlerKind;
  /** An informer for each; of all namespaces if there are none. */
  readonly namespaces?: readonly string[];
}

export interface Started {
  /** When every informer had synced, by sharedClockMs. */
  readonly syncedAtMs: number;
}

/** Between `measure` and `measured`. */
export interface DrivenMeasurement {
  readonly elapsedMs: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
  /** Of the main thread; in JavaScript only. */
  readonly cpuMainMs?: number;
  /** The longest delay of the event loop, if `measure` asked for it; in JavaScript only. */
  readonly stallMs?: number;
  /** With `object` handlers the time is taken when the object has been read, otherwise at the call. */
  readonly events: RecordedEvents;
  /** How often the contender has listed the collection since it started. */
  readonly lists?: number;
  /** By `readContinuously`. */
  readonly objectsRead?: number;
}

export interface DrivenCalls {
  /** Resolves when all informers have synced and their handlers have been called for every object. */
  start(task: DrivenTask): Promise<Started>;
  /** `events`: how many to record at most. `stalls`: whether to watch the event loop, which wakes it every millisecond. */
  measure(details: { readonly events: number; readonly stalls?: boolean }): Promise<unknown>;
  /** Resolves when the handler has seen this version. */
  measured(details: { readonly resourceVersion: string }): Promise<DrivenMeasurement>;
  /** From now on, lists the whole cache and reads from every object, over and over. */
  readContinuously(details: { readonly reader: Reader }): Promise<unknown>;
  /** Called last. */
  digest(details: object): Promise<Digest>;
  end(details: object): Promise<unknown>;
}
