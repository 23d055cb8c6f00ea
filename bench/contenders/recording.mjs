/** Milliseconds of the clock that all processes of a machine share. */
export function sharedClockMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** When which resource version came, in arrays that are made beforehand: noting must not cost what it measures. */
export class Recording {
  #versions;
  #times;
  #count = 0;

  constructor(capacity) {
    this.#versions = new Float64Array(capacity);
    this.#times = new Float64Array(capacity);
  }

  /** What does not fit is not noted. */
  add(version) {
    this.#versions[this.#count] = version;
    this.#times[this.#count] = sharedClockMs();
    if (this.#count < this.#times.length) this.#count++;
  }

  events() {
    return { versions: this.#versions.slice(0, this.#count), times: this.#times.slice(0, this.#count) };
  }
}
