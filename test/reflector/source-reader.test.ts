import { describe, expect, it } from 'vitest';
import { SourceReader } from '#dist/src/reflector/watch/source-reader.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

function readerOver(
  open: (signal: AbortSignal) => AsyncIterable<string>,
  consume?: (chunk: string) => boolean,
) {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const { signal } = controller;
  const reader = new SourceReader({ open, clock, signal, ...(consume && { consume }) });
  return { clock, controller, reader };
}

const never = async function* (): AsyncGenerator<string> {
  await new Promise(() => {});
};

describe('SourceReader', () => {
  it('returns chunks, then the end', async () => {
    const { reader } = readerOver(async function* () {
      yield 'a';
    });
    expect(await reader.next()).toEqual({ type: 'chunk', chunk: 'a' });
    expect(await reader.next()).toEqual({ type: 'end' });
  });

  it('continues a read while chunks are consumed as they arrive', async () => {
    const consumed: string[] = [];
    const letters = async function* (): AsyncGenerator<string> {
      yield* ['a', 'b', 'c', 'd'];
    };
    const { reader } = readerOver(letters, (chunk) => {
      consumed.push(chunk);
      return chunk !== 'c';
    });
    expect(await reader.next()).toEqual({ type: 'chunk', chunk: 'c' });
    expect(consumed).toEqual(['a', 'b', 'c']);
    expect(await reader.next()).toEqual({ type: 'end' });
    expect(consumed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps the deadline of a read whose chunks are consumed as they arrive', async () => {
    const oneThenNone = async function* (): AsyncGenerator<string> {
      yield 'a';
      yield* never();
    };
    const { clock, reader } = readerOver(oneThenNone, () => true);
    const read = reader.next(1000);
    await clock.advance(1000);
    expect(await read).toEqual({ type: 'timeout' });
  });

  it('rejects with what consuming a chunk throws', async () => {
    const { reader } = readerOver(
      async function* () {
        yield 'a';
      },
      () => {
        throw new Error('cannot be consumed');
      },
    );
    await expect(reader.next()).rejects.toThrow('cannot be consumed');
  });

  it('does not continue a read that was ended while a chunk was consumed', async () => {
    const { controller, reader } = readerOver(
      async function* () {
        yield* ['a', 'b'];
      },
      () => {
        controller.abort();
        return true;
      },
    );
    expect(await reader.next()).toEqual({ type: 'aborted' });
  });

  it('rejects with what the source throws, at once or later', async () => {
    const { reader } = readerOver(async function* () {
      yield await Promise.reject(new Error('later'));
    });
    await expect(reader.next(1000)).rejects.toThrow('later');
    const sync = readerOver(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          throw new Error('at once');
        },
      }),
    }));
    await expect(sync.reader.next()).rejects.toThrow('at once');
    expect(() =>
      readerOver(() => {
        throw new Error('on opening');
      }),
    ).toThrow('on opening');
  });

  it.each([
    ['the time is up', 'timeout', ({ clock }: ReturnType<typeof readerOver>) => clock.advance(1000)],
    ['it is interrupted', 'interrupted', ({ reader }: ReturnType<typeof readerOver>) => reader.interrupt()],
    ['it is closed', 'aborted', ({ reader }: ReturnType<typeof readerOver>) => reader.close()],
    ['the signal aborts', 'aborted', ({ controller }: ReturnType<typeof readerOver>) => controller.abort()],
  ])('stops waiting for a source that ignores its signal when %s', async (_, type, act) => {
    const parts = readerOver(never);
    const read = parts.reader.next(1000);
    await act(parts);
    expect(await read).toEqual({ type });
    expect(parts.clock.pendingTimers).toBe(0);
  });

  it('aborts the signal of the source once it is closed, and returns its iterator', async () => {
    let isReturned = false;
    let signal: AbortSignal | undefined;
    const { reader, controller } = readerOver((own) => {
      signal = own;
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => {}),
          return: async () => {
            isReturned = true;
            return { done: true, value: undefined };
          },
        }),
      };
    });
    reader.close();
    reader.close();
    expect(signal?.aborted).toBe(true);
    expect(isReturned).toBe(true);
    expect(await reader.next()).toEqual({ type: 'aborted' });
    expect(controller.signal.aborted).toBe(false);
  });

  it('keeps one timer for all its reads, and none once it is closed', async () => {
    const { reader, clock } = readerOver(async function* () {
      for (;;) yield 'a';
    });
    for (let i = 0; i < 10; i++) {
      await reader.next(clock.read() + 1000);
      expect(clock.pendingTimers).toBe(1);
      await clock.advance(600);
    }
    reader.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a read at its own deadline, earlier or later than that of the read before', async () => {
    const parts = readerOver(async function* () {
      yield 'a';
      yield 'b';
      await new Promise(() => {});
    });
    const { reader, clock } = parts;
    await reader.next(1000);
    await reader.next(500);
    let read: unknown;
    void reader.next(2000).then((settled) => {
      read = settled;
    });
    await clock.advance(1999);
    expect(read).toBeUndefined();
    await clock.advance(1);
    expect(read).toEqual({ type: 'timeout' });
    expect(clock.pendingTimers).toBe(0);
  });
});
