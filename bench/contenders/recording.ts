import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of the clock that all processes of a machine share: CLOCK_MONOTONIC on Linux. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export interface RecordedEvents {
  readonly versions: ArrayLike<number>;
  readonly times: ArrayLike<number>;
}

/**
 * The time of each resource version, in arrays that are allocated beforehand: recording must cost next to nothing.
 */
export class Recording {
  readonly #versions: Float64Array;
  readonly #times: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#versions = new Float64Array(capacity);
    this.#times = new Float64Array(capacity);
  }

  /** Versions beyond the capacity are dropped. */
  add(version: number): void {
    this.#versions[this.#count] = version;
    this.#times[this.#count] = sharedClockMs();
    if (this.#count < this.#times.length) this.#count++;
  }

  events(): RecordedEvents {
    return { versions: this.#versions.slice(0, this.#count), times: this.#times.slice(0, this.#count) };
  }
}

const POLL_MS = 5;

/** What a driven contender's handlers report: the highest version so far, and the times since `measure`. */
export class SeenVersions {
  #highest = 0;
  #recording: Recording | undefined;

  add(resourceVersion: string | undefined): void {
    const version = Number(resourceVersion);
    if (version > this.#highest) this.#highest = version;
    this.#recording?.add(version);
  }

  record(capacity: number): void {
    this.#recording = capacity === 0 ? undefined : new Recording(capacity);
  }

  events(): RecordedEvents {
    return this.#recording?.events() ?? { versions: [], times: [] };
  }

  /** Polls: call it when the last event has been written. */
  async reached(resourceVersion: string): Promise<void> {
    while (this.#highest < Number(resourceVersion)) await sleep(POLL_MS);
  }
}

/** What a handler has read from the object, so that reading is not optimized away. */
const read = { length: 0 };

interface ReadObject {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

/** As a controller that selects by label and acts on the node and the phase. */
export function readAsController({ metadata, spec, status }: ReadObject): void {
  const label = metadata?.labels?.['app'];
  read.length +=
    (metadata?.name?.length ?? 0) +
    (label?.length ?? 0) +
    (spec?.nodeName?.length ?? 0) +
    (status?.phase?.length ?? 0);
}
