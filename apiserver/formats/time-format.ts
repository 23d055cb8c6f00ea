/** Timestamps as Kubernetes encodes them: RFC 3339 in UTC, with whole seconds (Time) or six digits (MicroTime). */

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;
const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** Throws an Error with Go's message. */
export function canonicalTime(value: string): string {
  return formatTime(secondsOf(value, LAYOUT));
}

/** Throws an Error with Go's message. */
export function canonicalMicroTime(value: string): string {
  const fraction = RFC_3339.exec(value)?.[7] ?? '';
  const seconds = formatTime(secondsOf(value, MICRO_LAYOUT));
  return seconds.replace('Z', `.${fraction.slice(0, 6).padEnd(6, '0')}Z`);
}

/** Truncated to whole seconds. */
export function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function secondsOf(value: string, layout: string): number {
  const epochMs = RFC_3339.test(value) ? Date.parse(value.replace(/\.\d+/, '')) : Number.NaN;
  if (!Number.isNaN(epochMs)) return epochMs;
  // Go reports the first part of the layout that it could not parse; usually that is the year.
  throw new Error(
    `parsing time ${JSON.stringify(value)} as "${layout}": cannot parse ${JSON.stringify(value)} as "2006"`,
  );
}
