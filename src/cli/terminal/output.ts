import { styleText } from 'node:util';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** For what is not the result: progress, remarks. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Colours only on a terminal that knows them, and not if NO_COLOR is set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
    ? styleText(style, text)
    : text;
}

/** Whoever read our output has gone, as `head` does: that is no error, and there is nothing more to say. */
export function endQuietlyAtBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
