import type { KubernetesObject } from '../../kube/object.js';
import type { Clock } from '../../util/clock.js';
import { SliceScheduler } from '../../util/slice-scheduler.js';
import type { ExpectedObject, ListChunk, ListerWatcher, ListOptions } from '../lister-watcher.js';
import { stalled } from '../retry/failure.js';
import type { Reporter } from '../watch/event-sink.js';
import { SourceReader } from '../watch/source-reader.js';
import { ListPager, type PagedList, type PageReader } from './pager.js';

interface ReadListOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly expected: ExpectedObject;
  readonly request: ListOptions;
  /** 0 is no limit. */
  readonly pageSize: number;
  readonly listIdleTimeoutMs: number;
  readonly clock: Clock;
  readonly report: Reporter;
  readonly signal: AbortSignal;
}

/** Reads a whole collection, page by page. A page that is silent for too long fails the list; aborting does too. */
export async function readList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<PagedList<T>> {
  const { listerWatcher, expected, listIdleTimeoutMs, clock, signal, pageSize, report } = options;
  const slice = new SliceScheduler({ clock, itemsPerSlice: Number.POSITIVE_INFINITY }).openNow();
  let reader: SourceReader<ListChunk<T>> | undefined;
  const openPage = (page: ListOptions): PageReader<T> => {
    reader?.close();
    const opened = new SourceReader((own) => listerWatcher.list(page, own, expected), clock, signal);
    reader = opened;
    return async () => {
      const read = await opened.next(listIdleTimeoutMs);
      if (!slice.take()) await slice.renew();
      if (read.type === 'timeout') throw stalled('the list went silent').error;
      return read.type === 'chunk' ? read.chunk : undefined;
    };
  };
  try {
    return await new ListPager<T>({ openPage, pageSize, report }).list(options.request);
  } finally {
    reader?.close();
  }
}
