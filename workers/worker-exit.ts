import type { StreamSession } from './stream-session.js';

/**
 * An uncaught exception ends the thread. Watches then post what they have decoded so far: those events need not be read
 * again, and cannot end the next thread too.
 */
export function flushBeforeExit(sessions: Iterable<StreamSession>): void {
  process.on('uncaughtExceptionMonitor', () => {
    for (const session of sessions) session.flushBeforeExit();
  });
}
