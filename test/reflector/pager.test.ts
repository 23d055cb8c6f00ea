import { describe, expect, it } from 'vitest';
import { ApiStatusError } from '#dist/src/kube/status.js';
import { ListPager } from '#dist/src/reflector/list/pager.js';
import type { ListChunk, ListOptions, Rejected } from '#dist/src/reflector/lister-watcher.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { KubeflectError } from '#dist/src/util/errors.js';
import { EXPIRED, type Pod, pod } from '../support/servers/scripted-server.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

type ListPage = (options: ListOptions) => AsyncIterable<ListChunk<Pod>>;

function newPager(options: {
  readonly listPage: ListPage;
  readonly pageSize: number;
  readonly fullListIfExpired?: boolean;
  readonly report?: (report: unknown) => void;
}): ListPager<Pod> {
  return new ListPager<Pod>({
    report: () => {},
    ...options,
    listIdleTimeoutMs: 1000,
    clock: new VirtualClock(),
    signal: new AbortController().signal,
  });
}

interface Script {
  readonly total: number;
  /** Page (from 0) that fails, and with what. */
  readonly fail?: { readonly page: number; readonly error: Error };
  readonly rejected?: readonly Rejected[];
  readonly isCut?: boolean;
}

function pagerOver(script: Script, pageSize: number, fullListIfExpired = true) {
  const requests: ListOptions[] = [];
  const reports: unknown[] = [];
  const listPage = async function* (options: ListOptions) {
    requests.push(options);
    const start = options.continue === undefined ? 0 : Number(options.continue);
    const end = Math.min(script.total, start + (options.limit ?? script.total));
    const page = requests.length - 1;
    const entries = Array.from(
      { length: end - start },
      (_, index) => new ObjectEntry<Pod>(pod(`p${start + index}`, '5')),
    );
    const chunks: ListChunk<Pod>[] = [
      { type: 'begin', resourceVersion: 'not-this', continue: '' },
      { type: 'items', entries, rejected: page === 0 ? (script.rejected ?? []) : [] },
      { type: 'end', resourceVersion: String(10 + page), continue: end < script.total ? String(end) : '' },
    ];
    if (script.isCut) chunks.pop();
    if (script.fail?.page === page) throw script.fail.error;
    yield* chunks;
  };
  const report = (report: unknown): void => void reports.push(report);
  const pager = newPager({ listPage, pageSize, fullListIfExpired, report });
  return { pager, requests, reports };
}

const names = (list: { entries: Iterable<{ name: string }> }) =>
  Array.from(list.entries, (entry) => entry.name);

// TestListPager_List
describe('ListPager', () => {
  it.each([
    ['an empty list', 0, 10, 1, false],
    ['less than a page', 9, 10, 1, false],
    ['exactly a page', 10, 10, 1, false],
    ['two pages', 20, 10, 2, true],
    ['three pages', 21, 10, 3, true],
    ['no limit', 21, 0, 1, false],
  ])('joins %s', async (_, total, pageSize, count, isPaginated) => {
    const { pager, requests } = pagerOver({ total }, pageSize);
    const list = await pager.list({ resourceVersion: '' });
    expect(names(list)).toEqual(Array.from({ length: total }, (_, index) => `p${index}`));
    expect(list.size).toBe(total);
    expect(list.isPaginated).toBe(isPaginated);
    expect(requests).toHaveLength(count);
    expect(requests[0]?.limit).toBe(pageSize === 0 ? undefined : pageSize);
  });

  it("keeps the first page's version", async () => {
    const { pager } = pagerOver({ total: 30 }, 10);
    expect((await pager.list({ resourceVersion: '' })).resourceVersion).toBe('10');
  });

  it('clears version and match on later pages', async () => {
    const { pager, requests } = pagerOver({ total: 20 }, 10);
    await pager.list({ resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' });
    expect(requests).toEqual([
      { resourceVersion: '7', resourceVersionMatch: 'NotOlderThan', limit: 10 },
      { resourceVersion: '', continue: '10', limit: 10 },
    ]);
  });

  it('discards the items of a restarted page, and of no other page', async () => {
    const rejected = (key: string): Rejected => ({ reason: 'undecodable', message: 'no', key });
    const items = (name: string, keys: string[] = []): ListChunk<Pod> => ({
      type: 'items',
      entries: [new ObjectEntry<Pod>(pod(name, '5'))],
      rejected: keys.map(rejected),
    });
    const pages: ListChunk<Pod>[][] = [
      [items('a', ['x']), { type: 'end', resourceVersion: '10', continue: 'next' }],
      [
        items('b', ['y']),
        { type: 'restart' },
        items('c'),
        { type: 'end', resourceVersion: '10', continue: '' },
      ],
    ];
    const listPage = async function* () {
      yield* pages.shift() ?? [];
    };
    const list = await newPager({ listPage, pageSize: 1 }).list({ resourceVersion: '' });
    expect(names(list)).toEqual(['a', 'c']);
    expect(list.size).toBe(2);
    expect([...list.unreadableKeys]).toEqual(['x']);
    expect(list.unreadable).toBe(1);
  });

  it("prefers the caller's limit to its own", async () => {
    const { pager, requests } = pagerOver({ total: 20 }, 10);
    await pager.list({ resourceVersion: '', limit: 15 });
    expect(requests.map((request) => request.limit)).toEqual([15, 15]);
  });

  it.each([
    ['Expired', EXPIRED],
    ['Gone', { code: 410, reason: 'Gone' }],
    ['410 without a reason', { code: 410 }],
  ])('lists all at the original version and match if a later page has expired: %s', async (_, status) => {
    const fail = { page: 1, error: new ApiStatusError(status) };
    const { pager, requests } = pagerOver({ total: 20, fail }, 10);
    const list = await pager.list({ resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' });
    expect(requests[2]).toEqual({ resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' });
    expect(list.size).toBe(20);
    expect(list.resourceVersion).toBe('12');
    expect(list.isPaginated).toBe(true);
  });

  it('recognizes a wrapped expiry', async () => {
    const error = new KubeflectError('KUBEFLECT_LIST_FAILED', 'page', { cause: new ApiStatusError(EXPIRED) });
    const { pager } = pagerOver({ total: 20, fail: { page: 1, error } }, 10);
    expect((await pager.list({ resourceVersion: '' })).size).toBe(20);
  });

  it.each([
    ['the first page expired', { page: 0, error: new ApiStatusError(EXPIRED) }, true],
    ['the fallback is off', { page: 1, error: new ApiStatusError(EXPIRED) }, false],
    ['a later page failed otherwise', { page: 1, error: new Error('reset') }, true],
  ])('fails if %s', async (_, fail, fullListIfExpired) => {
    const { pager, requests } = pagerOver({ total: 20, fail }, 10, fullListIfExpired);
    await expect(pager.list({ resourceVersion: '' })).rejects.toBe(fail.error);
    expect(requests).toHaveLength(fail.page + 1);
  });

  it('fails a list that is truncated before its end marker', async () => {
    const { pager } = pagerOver({ total: 5, isCut: true }, 10);
    await expect(pager.list({ resourceVersion: '' })).rejects.toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
    });
  });

  it('fails on a Table', async () => {
    const rejected: Rejected[] = [{ reason: 'table', message: 'a Table' }];
    const { pager } = pagerOver({ total: 1, rejected }, 10);
    await expect(pager.list({ resourceVersion: '' })).rejects.toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
    });
  });

  it('distinguishes unreadable items with a key from those without, and reports all', async () => {
    const rejected: Rejected[] = [
      { reason: 'undecodable', message: 'bad', key: 'ns/poison' },
      { reason: 'no-metadata', message: 'nothing' },
      { reason: 'wrong-type', message: 'a Node', key: 'ns/node' },
    ];
    const { pager, reports } = pagerOver({ total: 1, rejected }, 10);
    const list = await pager.list({ resourceVersion: '' });
    expect([...list.unreadableKeys]).toEqual(['ns/poison']);
    expect(list.unidentified).toBe(1);
    expect(reports).toHaveLength(3);
  });

  it('counts a list of nothing but other types as unreadable', async () => {
    const rejected: Rejected[] = [
      { reason: 'wrong-type', message: 'a Node', key: 'ns/a' },
      { reason: 'wrong-gvk', message: 'of another group', key: 'ns/b' },
    ];
    const { pager } = pagerOver({ total: 0, rejected }, 10);
    const list = await pager.list({ resourceVersion: '' });
    expect(list).toMatchObject({ size: 0, unidentified: 2, unreadable: 2 });
  });

  it('fails if a page returns its own continue token', async () => {
    const requests: ListOptions[] = [];
    const listPage = async function* (options: ListOptions): AsyncGenerator<ListChunk<Pod>> {
      requests.push(options);
      yield { type: 'end', resourceVersion: '1', continue: 'again' };
    };
    const pager = newPager({ listPage, pageSize: 10 });
    await expect(pager.list({ resourceVersion: '' })).rejects.toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
    });
    expect(requests).toHaveLength(2);
  });

  it('returns entries that can be iterated twice', async () => {
    const { pager } = pagerOver({ total: 20 }, 10);
    const list = await pager.list({ resourceVersion: '' });
    expect(names(list)).toEqual(names(list));
  });
});
