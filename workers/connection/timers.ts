/** Longer ones would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
