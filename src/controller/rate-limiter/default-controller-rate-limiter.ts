import { type Clock, systemClock } from '../../util/clock.js';
import { BucketRateLimiter } from './bucket-rate-limiter.js';
import { ItemExponentialFailureRateLimiter } from './item-exponential-failure-rate-limiter.js';
import { MaxOfRateLimiter } from './max-of-rate-limiter.js';
import type { RateLimiter } from './rate-limiter.js';

/** client-go's: per item 5 ms, doubling up to 1000 s; over all items ten retries a second, after a burst of a hundred. */
export function defaultControllerRateLimiter<T>(clock: Clock = systemClock): RateLimiter<T> {
  return new MaxOfRateLimiter<T>(new ItemExponentialFailureRateLimiter(), new BucketRateLimiter({ clock }));
}
