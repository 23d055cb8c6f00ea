import { expect, it } from 'vitest';
import { PagePrefetcher } from '#dist/src/engine/page-prefetcher.js';
import type { StreamMessage } from '#dist/src/pool/stream-handle.js';
import type { ListOptions } from '#dist/src/reflector/lister-watcher.js';

interface Opened {
  readonly options: ListOptions;
  readonly arrive: (message: StreamMessage) => void;
  isStopped: boolean;
}

function prefetcherOf(ahead: number) {
  const opened: Opened[] = [];
  const prefetcher = new PagePrefetcher({
    ahead,
    open: (options, arrive) => {
      const page: Opened = { options, arrive, isStopped: false };
      opened.push(page);
      const stop = (): void => {
        page.isStopped = true;
      };
      return { stop } as never;
    },
  });
  const tokens = (): (string | undefined)[] => opened.map(({ options }) => options.continue);
  return { prefetcher, opened, tokens };
}

const begin = (token: string): StreamMessage => ({ type: 'begin', resourceVersion: '1', continue: token });
const end = (token: string): StreamMessage => ({ type: 'end', resourceVersion: '1', continue: token });
const FIRST: ListOptions = { resourceVersion: '0', limit: 10 };
const page = (token: string): ListOptions => ({ resourceVersion: '', continue: token, limit: 10 });

it('requests the next page as soon as its continue token has arrived', () => {
  const { prefetcher, opened, tokens } = prefetcherOf(1);
  prefetcher.take(FIRST);
  opened[0]?.arrive(begin('a'));
  expect(tokens()).toEqual([undefined, 'a']);
  opened[0]?.arrive(end('a'));
  opened[1]?.arrive(begin('b'));
  expect(tokens()).toEqual([undefined, 'a']);
  expect(prefetcher.take(page('a')).isPrefetched).toBe(true);
  expect(tokens()).toEqual([undefined, 'a', 'b']);
  opened[2]?.arrive(begin(''));
  prefetcher.take(page('b'));
  expect(tokens()).toEqual([undefined, 'a', 'b']);
  expect(opened.some(({ isStopped }) => isStopped)).toBe(false);
});

it('prefetches at most `ahead` pages', () => {
  const { prefetcher, opened, tokens } = prefetcherOf(3);
  prefetcher.take(FIRST);
  opened[0]?.arrive(begin('a'));
  opened[1]?.arrive(begin('b'));
  opened[2]?.arrive(end('c'));
  opened[3]?.arrive(begin('d'));
  expect(tokens()).toEqual([undefined, 'a', 'b', 'c']);
  prefetcher.take(page('a'));
  expect(tokens()).toEqual([undefined, 'a', 'b', 'c', 'd']);
});

it.each([
  ['another token', page('x')],
  ['another limit', { ...page('a'), limit: 20 }],
  ['another list', FIRST],
])('stops prefetched pages that are not taken: %s', (_, asked) => {
  const { prefetcher, opened } = prefetcherOf(2);
  prefetcher.take(FIRST);
  opened[0]?.arrive(begin('a'));
  opened[1]?.arrive(begin('b'));
  expect(prefetcher.take(asked).isPrefetched).toBe(false);
  expect(opened.map(({ isStopped }) => isStopped)).toEqual([false, true, true, false]);
});

it('stops prefetched pages when a list is abandoned, but not when its next page is taken immediately', async () => {
  const { prefetcher, opened } = prefetcherOf(1);
  const first = prefetcher.take(FIRST);
  opened[0]?.arrive(begin('a'));
  prefetcher.discardAfter(first);
  const second = prefetcher.take(page('a'));
  opened[1]?.arrive(begin('b'));
  await Promise.resolve();
  expect(opened[2]?.isStopped).toBe(false);
  prefetcher.discardAfter(second);
  await Promise.resolve();
  expect(opened[2]?.isStopped).toBe(true);
});

it('prefetches nothing for a list without a limit', () => {
  const { prefetcher, opened } = prefetcherOf(2);
  prefetcher.take({ resourceVersion: '0' });
  opened[0]?.arrive(begin('a'));
  expect(opened).toHaveLength(1);
});
