import { formatBar, formatBytes, formatCount, formatDuration, formatProgress } from '../terminal/format.js';
import { paint } from '../terminal/output.js';
import type { InformerSnapshot, Snapshot, WorkerSnapshot } from './sampler.js';

/** Every terminal has this many columns. */
const WIDTH = 80;
/** For terminals that report 0 rows until they are resized. */
const DEFAULT_ROWS = 24;

/** The snapshot as lines of at most 80 columns. Every number has a fixed position, so that nothing jumps. */
export function screenLines(snapshot: Snapshot, title: string): string[] {
  const { eventLoop, memory, workers, atMs } = snapshot;
  const delay = (ms: number): string => formatDuration(ms).padStart(8);
  return [
    paint('bold', title.slice(0, WIDTH - 14).padEnd(WIDTH - 12) + formatDuration(atMs).padStart(12)),
    `event loop  p50 ${delay(eventLoop.p50)} p99 ${delay(eventLoop.p99)} max ${delay(eventLoop.max)}`,
    `memory      ${memoryCell(memory.rss)} resident   ${memoryCell(memory.heap)} heap`,
    ...workers.map(workerLine),
    ...snapshot.informers.flatMap(informerLines),
  ].map((line) => line.trimEnd());
}

function workerLine({ load, streams, restarts }: WorkerSnapshot, index: number): string {
  const percent = `${Math.round(load * 100)}%`.padStart(4);
  const counts = `${countCell(streams, 4)} streams   ${countCell(restarts, 3)} restarts`;
  return `worker ${index}    [${formatBar(load, 20)}] ${percent}   ${counts}`;
}

function informerLines(informer: InformerSnapshot): string[] {
  const { name, state, objects, lagMs, queued, bytes, relists, rejected, lastError } = informer;
  const isSyncing = state === 'syncing' || state === 'new';
  const shownName = paint('cyan', name.slice(0, 40).padEnd(40));
  const shownState = paint(isSyncing ? 'yellow' : 'green', state.padEnd(8));
  const lag = (lagMs === undefined ? '-' : formatDuration(lagMs)).padStart(12);
  const error = `  last error  ${lastError ?? 'none'}`.slice(0, WIDTH);
  return [
    '',
    `${shownName}  ${shownState}  ${countCell(objects, 11)} objects`,
    `  ${isSyncing ? listProgress(informer) : eventRates(informer)}`.slice(0, WIDTH),
    `  lag         ${lag}  queued ${countCell(queued, 7)}  store ${memoryCell(bytes)}`,
    `  relists     ${countCell(relists, 7)}       rejected ${countCell(rejected, 5)}`,
    paint(lastError === undefined ? 'dim' : 'red', error),
  ];
}

function listProgress({ listed, total, listedPerSecond }: InformerSnapshot): string {
  return formatProgress(listed, total, listedPerSecond);
}

function eventRates({ events }: InformerSnapshot): string {
  const { add, update, delete: deleted } = events;
  const changes = `${countCell(add, 7)} added  ${countCell(update, 7)} changed  ${countCell(deleted, 7)} deleted`;
  return `events/s    ${changes}`;
}

function countCell(value: number, width: number): string {
  return formatCount(value).padStart(width);
}

function memoryCell(bytes: number): string {
  return formatBytes(bytes).padStart(8);
}

/** One line per informer, for output that is not a terminal. */
export function plainLines({ informers, eventLoop, memory }: Snapshot): string[] {
  return informers.map(({ name, state, objects, listed, listedPerSecond, events, relists, lastError }) =>
    [
      `${name} ${state}`,
      `objects ${formatCount(objects)}`,
      state === 'synced'
        ? `events/s ${formatCount(events.add)} added ` +
          `${formatCount(events.update)} changed ${formatCount(events.delete)} deleted`
        : `listed ${formatCount(listed)} ${formatCount(listedPerSecond)}/s`,
      `relists ${relists}`,
      `delay max ${formatDuration(eventLoop.max)}`,
      `memory ${formatBytes(memory.rss)}`,
      ...(lastError === undefined ? [] : [`last error ${lastError}`]),
    ].join('  '),
  );
}

/** The terminal's alternate screen, redrawn in place; closing it restores what was there before. */
export class Screen {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.write('\x1b[?1049h\x1b[?25l');
  }

  draw(lines: readonly string[]): void {
    const visible = lines.slice(0, Math.max(1, (this.#stream.rows || DEFAULT_ROWS) - 1));
    this.#stream.write(`\x1b[H${visible.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
  }

  close(): void {
    this.#stream.write('\x1b[?25h\x1b[?1049l');
  }
}
