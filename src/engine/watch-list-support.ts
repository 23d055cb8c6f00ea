import type { Resource } from '../kube/resource.js';
import type { Clock } from '../util/clock.js';

/**
 * Resources of which the API server has no streaming lists: it never sends their end bookmark, for example because an
 * aggregated API server does not know it, or a proxy drops it. Each takes up to 20 s to find out, so that other
 * informers, and new ones, are not to find out again. One per engine.
 */
export class WatchListSupport {
  readonly #clock: Clock;
  readonly #avoidUntilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isAvoided(resource: Resource): boolean {
    return this.#clock.now() < (this.#avoidUntilMs.get(idOf(resource)) ?? Number.NEGATIVE_INFINITY);
  }

  /** Does not prolong the time: this also is called for streaming lists that were avoided. */
  avoid(resource: Resource, forMs: number): void {
    if (this.isAvoided(resource)) return;
    this.#avoidUntilMs.set(idOf(resource), this.#clock.now() + forMs);
  }
}

function idOf({ apiVersion, plural }: Resource): string {
  return `${apiVersion} ${plural}`;
}
