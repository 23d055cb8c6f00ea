/** Ages as kubectl shows them, after k8s.io/apimachinery/pkg/util/duration (Apache-2.0): at most two units. */

/** `<unknown>` for a time that is not set. */
export function ageSince(time: unknown, nowMs: number): string {
  const epochMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(epochMs) ? '<unknown>' : humanDuration(nowMs - epochMs);
}

export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  // Clocks of two machines may differ slightly.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
