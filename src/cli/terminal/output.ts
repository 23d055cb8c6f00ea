import { styleText } from 'node:util';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints to standard error what is not part of the result: counts, warnings, non-fatal errors. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Colours only on a terminal that has them, and not if NO_COLOR is set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const hasColors = stream.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return hasColors ? styleText(style, text) : text;
}

/** The reader of our output has closed the pipe, as `head` does: exits without an error. */
export function exitOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
