import type { KubernetesObject } from '#dist/src/kube/object.js';
import { ApiStatusError, type Status } from '#dist/src/kube/status.js';
import type { ListOptions, WatchOptions } from '#dist/src/reflector/lister-watcher.js';
import {
  ListerWatcherFuncs,
  type PlainList,
  type PlainWatchEvent,
} from '#dist/src/reflector/lister-watcher-funcs.js';
import { Reflector } from '#dist/src/reflector/reflector.js';
import type { ReflectorOptions } from '#dist/src/reflector/reflector-options.js';
import type { ReflectorReport } from '#dist/src/reflector/reflector-report.js';
import { TransportError } from '#dist/src/util/errors.js';
import { FakeWatch } from '../informer/fake-watch.js';
import { MapStore } from '../informer/map-store.js';
import { VirtualClock } from '../time/virtual-clock.js';

export interface Pod extends KubernetesObject {
  spec?: { nodeName?: string };
}

export function pod(name: string, resourceVersion: string, extra: object = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion },
    ...extra,
  };
}

export function list(resourceVersion: string, items: readonly Pod[] = [], token = ''): PlainList<Pod> {
  return { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion, continue: token }, items };
}

export const added = (name: string, rv: string): PlainWatchEvent => ({
  type: 'ADDED',
  object: pod(name, rv),
});
export const modified = (name: string, rv: string): PlainWatchEvent => ({
  type: 'MODIFIED',
  object: pod(name, rv),
});
export const deleted = (name: string, rv: string): PlainWatchEvent => ({
  type: 'DELETED',
  object: pod(name, rv),
});

export function bookmark(resourceVersion: string, end?: string): PlainWatchEvent {
  const annotations = end === undefined ? {} : { 'k8s.io/initial-events-end': end };
  return {
    type: 'BOOKMARK',
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { resourceVersion, annotations } },
  };
}

export function errorEvent(status: Status): PlainWatchEvent {
  return { type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status } };
}

export const EXPIRED: Status = { code: 410, reason: 'Expired', message: 'too old resource version' };
export const INTERNAL: Status = { code: 500, reason: 'InternalError', message: 'no leader' };
export const TOO_MANY: Status = { code: 429, reason: 'TooManyRequests', message: 'slow down' };
export const INVALID: Status = { code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' };
export const TOO_LARGE: Status = {
  code: 504,
  reason: 'Timeout',
  message: 'Timeout: Too large resource version: 20, current: 10',
  details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
};

export function statusError(status: Status, retryAfterMs?: number): ApiStatusError {
  return new ApiStatusError(status, retryAfterMs);
}

export function refused(): TransportError {
  return new TransportError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6443');
}

export type Request =
  | ({ readonly verb: 'list'; readonly atMs: number } & ListOptions)
  | ({ readonly verb: 'watch'; readonly atMs: number } & WatchOptions);

export type WatchResponse = Error | readonly PlainWatchEvent[] | ((watch: FakeWatch) => void);

/**
 * A reflector and a server with scripted responses: each request gets the next response, the last one repeats. A watch
 * that is scripted as events stays open after them.
 */
export class ScriptedServer {
  readonly clock = new VirtualClock();
  readonly store: MapStore<Pod> = new MapStore();
  readonly requests: Request[] = [];
  readonly reports: ReflectorReport[] = [];
  readonly errors: Error[] = [];
  readonly watches: FakeWatch[] = [];
  readonly lists: (PlainList<Pod> | Error)[] = [];
  readonly answers: WatchResponse[] = [];
  readonly controller = new AbortController();
  readonly reflector: Reflector<Pod>;

  constructor(options: Partial<ReflectorOptions<Pod>> = {}) {
    const listerWatcher = new ListerWatcherFuncs<Pod>({
      list: async (request) => this.#list(request),
      watch: async (request, signal) => this.#watch(request, signal),
    });
    this.reflector = new Reflector<Pod>({
      listerWatcher,
      store: this.store,
      clock: this.clock,
      random: () => 0,
      useWatchList: false,
      report: (report) => this.reports.push(report),
      watchErrorHandler: (_, error) => this.errors.push(error),
      ...options,
    });
  }

  /** Starts `listAndWatch`; the promise is settled, so that nothing is unhandled. */
  listAndWatch(): Promise<{ error: Error | undefined }> {
    return this.reflector.listAndWatch(this.controller.signal).then(
      () => ({ error: undefined }),
      (error: Error) => ({ error }),
    );
  }

  run(): Promise<void> {
    return this.reflector.run(this.controller.signal);
  }

  async stop(running: Promise<unknown>): Promise<void> {
    this.controller.abort();
    await running;
  }

  get watch(): FakeWatch {
    const watch = this.watches.at(-1);
    if (watch === undefined) throw new Error('no watch was opened');
    return watch;
  }

  /** Requests as `list 0 500`, `list  500 token`, `watch 10`, `stream 10`. */
  get sent(): string[] {
    return this.requests.map((request) => {
      if (request.verb === 'watch') {
        return `${request.sendInitialEvents === true ? 'stream' : 'watch'} ${request.resourceVersion}`.trimEnd();
      }
      const parts = [request.resourceVersion, request.limit ?? '-', request.continue ?? ''];
      return `list ${parts.join(' ')}`.trimEnd();
    });
  }

  reported<K extends ReflectorReport['type']>(type: K): Extract<ReflectorReport, { type: K }>[] {
    return this.reports.filter((report) => report.type === type) as Extract<ReflectorReport, { type: K }>[];
  }

  #list(request: ListOptions): PlainList<Pod> {
    this.requests.push({ verb: 'list', atMs: this.clock.now(), ...request });
    const answer = this.lists.length > 1 ? this.lists.shift() : this.lists[0];
    if (answer === undefined) throw new Error('no list was scripted');
    if (answer instanceof Error) throw answer;
    return answer;
  }

  #watch(request: WatchOptions, signal: AbortSignal): FakeWatch {
    this.requests.push({ verb: 'watch', atMs: this.clock.now(), ...request });
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer instanceof Error) throw answer;
    const watch = new FakeWatch(signal);
    this.watches.push(watch);
    if (typeof answer === 'function') answer(watch);
    else watch.send(...(answer ?? []));
    return watch;
  }
}
