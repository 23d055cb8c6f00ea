import type { Clock } from '../../util/clock.js';

/** When an informer last heard of its server. A resync is no news: it tells handlers what is known. */
export class News {
  readonly #clock: Clock;
  #eventAt: number | undefined;
  #bookmarkAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A batch of deltas of this type was applied. */
  note(type: string | undefined): void {
    if (type === 'Bookmark') this.#bookmarkAt = this.#clock.now();
    else if (type !== 'SyncAll') this.#eventAt = this.#clock.now();
  }

  /** Since anything. */
  get ageMs(): number | undefined {
    const ages = [this.eventAgeMs, this.bookmarkAgeMs].filter((age) => age !== undefined);
    return ages.length === 0 ? undefined : Math.min(...ages);
  }

  /** Since a list or an event. */
  get eventAgeMs(): number | undefined {
    return this.#ageOf(this.#eventAt);
  }

  get bookmarkAgeMs(): number | undefined {
    return this.#ageOf(this.#bookmarkAt);
  }

  #ageOf(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.#clock.now() - at;
  }
}
