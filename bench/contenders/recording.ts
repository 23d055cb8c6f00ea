/** Milliseconds of the clock that all processes of a machine share. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export interface RecordedEvents {
  readonly versions: Float64Array;
  readonly times: Float64Array;
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
