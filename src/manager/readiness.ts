import type { EngineStats, InformerStats } from '../engine/engine.js';
import type { HealthCheck } from './health-report.js';

/** Whether each cache of an engine can be relied on: it has synced, and is at most `maxLagMs` behind its server. */
export function cacheChecks({ informers }: Pick<EngineStats, 'informers'>, maxLagMs: number): HealthCheck[] {
  return (
    informers
      // Those that the program has not started, or has stopped.
      .filter(({ state }) => state === 'syncing' || state === 'synced')
      .map((informer) => ({ name: `informer ${informer.name}`, problem: problemOf(informer, maxLagMs) }))
  );
}

function problemOf(informer: InformerStats, maxLagMs: number): string | undefined {
  const { state, lagMs, listed, isWatching, queued } = informer;
  if (state !== 'synced') return `not synced yet, ${listed} objects listed${lastErrorOf(informer)}`;
  if (lagMs === undefined || lagMs <= maxLagMs) return undefined;
  const cause = isWatching ? `${queued} events are queued` : 'no watch is open';
  return `the cache is ${seconds(lagMs)} old, ${cause}${lastErrorOf(informer)}`;
}

/** The code alone: a message may quote addresses. */
export function lastErrorOf({ lastError }: Pick<InformerStats, 'lastError'>): string {
  if (lastError === undefined) return '';
  const { code, statusCode, reason, ageMs } = lastError;
  const status = [statusCode, reason].filter((part) => part !== undefined).join(' ');
  return `; last error, ${seconds(ageMs)} ago: ${code}${status && ` (${status})`}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
