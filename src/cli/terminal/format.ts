/** `12,345`. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `1.2 GB`, `34 MB`, `560 kB`. */
export function formatBytes(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} GB`;
  return value >= 1e6 ? `${Math.round(value / 1e6)} MB` : `${Math.round(value / 1e3)} kB`;
}

/** `1.2 ms`, `3.4 s`, `5m 6s`, `7h 8m`, `9d`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${Math.floor(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d`;
}

/** `#####.....` for a half and a width of 10. */
export function formatBar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '#'.repeat(full) + '.'.repeat(width - full);
}

/** `[####......]  40%  40,000 of 100,000  12,000/s  5.0 s left`. */
export function formatProgress(listed: number, total: number | undefined, perSecond: number): string {
  const rate = `${formatCount(perSecond)}/s`;
  if (total === undefined || total === 0) return `${formatCount(listed)} listed  ${rate}`;
  const share = Math.min(1, listed / total);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const leftMs = ((total - listed) / perSecond) * 1000;
  return [
    `[${formatBar(share, 20)}] ${percent}`,
    `${formatCount(listed)} of ${formatCount(total)}`,
    rate,
    ...(perSecond > 0 && share < 1 ? [`${formatDuration(leftMs)} left`] : []),
  ].join('  ');
}
