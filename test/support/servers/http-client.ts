import { Agent, request } from 'node:http';

/** What came back, as far as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** Sizes of the pieces in which the body arrived. */
  readonly chunks: readonly number[];
  /** `end` for a complete body, otherwise the error's code. */
  readonly ending: string;
}

export interface AskOptions {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
  /** Gives up after this time with ending `timeout`. */
  readonly timeoutMs?: number;
  readonly agent?: Agent;
}

/** One plain HTTP/1.1 request on a connection of its own. Rejects only if no answer began: with the error's code. */
export function ask(url: string, options: AskOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: options.method ?? 'GET',
      headers: options.headers ?? {},
      agent: options.agent ?? new Agent(),
    });
    const giveUp = (): void => void outgoing.destroy(Object.assign(new Error(), { code: 'timeout' }));
    const timer = setTimeout(giveUp, options.timeoutMs ?? 5000);
    let hasBegun = false;
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (!hasBegun) reject(new Error(error.code ?? error.message));
    });
    outgoing.on('response', (response) => {
      hasBegun = true;
      const pieces: Buffer[] = [];
      const finish = (ending: string): void => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString(),
          chunks: pieces.map((piece) => piece.length),
          ending,
        });
      };
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => finish('end'));
      response.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    });
    outgoing.end(options.body);
  });
}

/** The lines of a watch, parsed; a line that is no JSON comes as its text. */
export function lines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        return line;
      }
    });
}
