import { bar, bytes, count, time } from '../terminal/figures.js';
import { paint } from '../terminal/output.js';
import { progressText } from '../terminal/progress-line.js';
import type { InformerSnapshot, Snapshot } from './snapshot.js';

/** What every terminal has. */
const WIDTH = 80;
/** Of a terminal that does not say: some give 0 until somebody resizes them. */
const ROWS = 24;

/** The snapshot as lines of at most 80 columns; every figure has its place, so that nothing jumps. */
export function screenLines(snapshot: Snapshot, title: string): string[] {
  const { eventLoop, memory, workers, atMs } = snapshot;
  const head = `${title.slice(0, WIDTH - 14).padEnd(WIDTH - 12)}${time(atMs).padStart(12)}`;
  const delay = `p50 ${cell(time(eventLoop.p50), 8)} p99 ${cell(time(eventLoop.p99), 8)} max ${cell(time(eventLoop.max), 8)}`;
  return [
    paint('bold', head),
    `event loop  ${delay}`,
    `memory      ${cell(bytes(memory.rss), 8)} resident   ${cell(bytes(memory.heap), 8)} heap`,
    ...workers.map(
      ({ load, streams, restarts }, i) =>
        `worker ${i}    [${bar(load, 20)}] ${cell(`${Math.round(load * 100)}%`, 4)}   ${cell(count(streams), 4)} streams   ${cell(count(restarts), 3)} restarts`,
    ),
    ...snapshot.informers.flatMap(informerLines),
  ].map((line) => line.trimEnd());
}

function informerLines(informer: InformerSnapshot): string[] {
  const { name, state, objects, events, lagMs, queued, relists, rejected, lastError } = informer;
  const isSyncing = state === 'syncing' || state === 'new';
  const progress = isSyncing
    ? progressText(informer.listed, informer.total, informer.listedPerSecond)
    : `events/s    ${cell(count(events.add), 7)} added  ${cell(count(events.update), 7)} changed  ${cell(count(events.delete), 7)} deleted`;
  const lag = lagMs === undefined ? '-' : time(lagMs);
  return [
    '',
    `${paint('cyan', name.slice(0, 40).padEnd(40))}  ${paint(isSyncing ? 'yellow' : 'green', state.padEnd(8))}  ${cell(count(objects), 11)} objects`,
    `  ${progress}`.slice(0, WIDTH),
    `  lag         ${cell(lag, 12)}  queued ${cell(count(queued), 7)}  store ${cell(bytes(informer.bytes), 8)}`,
    `  relists     ${cell(count(relists), 7)}       rejected ${cell(count(rejected), 5)}`,
    paint(lastError === undefined ? 'dim' : 'red', `  last error  ${lastError ?? 'none'}`.slice(0, WIDTH)),
  ];
}

function cell(text: string, width: number): string {
  return text.padStart(width);
}

/** For output that is no terminal: one line per informer. */
export function plainLines({ informers, eventLoop, memory }: Snapshot): string[] {
  return informers.map(({ name, state, objects, listed, listedPerSecond, events, relists, lastError }) =>
    [
      `${name} ${state}`,
      `objects ${count(objects)}`,
      state === 'synced'
        ? `events/s ${count(events.add)} added ${count(events.update)} changed ${count(events.delete)} deleted`
        : `listed ${count(listed)} ${count(listedPerSecond)}/s`,
      `relists ${relists}`,
      `delay max ${time(eventLoop.max)}`,
      `memory ${bytes(memory.rss)}`,
      ...(lastError === undefined ? [] : [`last error ${lastError}`]),
    ].join('  '),
  );
}

/** A screen of our own, drawn over in place; what was there before comes back at the end. */
export class Screen {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.write('\x1b[?1049h\x1b[?25l');
  }

  draw(lines: readonly string[]): void {
    const fitting = lines.slice(0, Math.max(1, (this.#stream.rows || ROWS) - 1));
    this.#stream.write(`\x1b[H${fitting.map((line) => `${line}\x1b[K\n`).join('')}\x1b[J`);
  }

  close(): void {
    this.#stream.write('\x1b[?25h\x1b[?1049l');
  }
}
