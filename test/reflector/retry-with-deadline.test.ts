import { describe, expect, it } from 'vitest';
import { RetryWithDeadline } from '#dist/src/reflector/retry/retry-with-deadline.js';

// TestRetryWithDeadline
describe('RetryWithDeadline', () => {
  it('never retries with a duration of 0', () => {
    expect(new RetryWithDeadline(0, 60_000).after(0).shouldRetry(0).isRetry).toBe(false);
  });

  it('does not retry before any error', () => {
    expect(new RetryWithDeadline(1000, 60_000).shouldRetry(0).isRetry).toBe(false);
  });

  it('retries within the window, including its end', () => {
    const window = new RetryWithDeadline(1000, 60_000).after(100);
    expect(window.shouldRetry(100).isRetry).toBe(true);
    expect(window.shouldRetry(1100).isRetry).toBe(true);
    expect(window.shouldRetry(1101).isRetry).toBe(false);
  });

  it('counts from the first error, not from the last', () => {
    const window = new RetryWithDeadline(1000, 60_000).after(0).after(900);
    expect(window.shouldRetry(1001).isRetry).toBe(false);
  });

  it('opens a new window after the deadline', () => {
    const { next } = new RetryWithDeadline(1000, 60_000).after(0).shouldRetry(2000);
    expect(next.shouldRetry(2000).isRetry).toBe(false);
    expect(next.after(2001).shouldRetry(2500).isRetry).toBe(true);
  });

  it('opens a new window after a reset period without errors', () => {
    const window = new RetryWithDeadline(1000, 60_000).after(0).after(60_000);
    expect(window.shouldRetry(60_900).isRetry).toBe(true);
    const early = new RetryWithDeadline(1000, 60_000).after(0).after(59_999);
    expect(early.shouldRetry(59_999).isRetry).toBe(false);
  });
});
