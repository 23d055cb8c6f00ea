import { type ApiAnswer, type ApiClient, RefusedError, statusOf } from '../api/api-client.js';
import { type DiscoveredResource, discover, findResource, pathOf } from '../api/discovery.js';
import { time } from '../terminal/figures.js';
import { faultOf } from './classify-error.js';
import { Fatal, type Finding } from './finding.js';

const ROUND_TRIPS = 5;

/** Slower than this, lists of many pages take their time. */
const SLOW_MS = 100;

/** A name that no object has, so that looking costs the server nothing. */
const NOBODY = 'fieldSelector=metadata.name%3Dkubeflect-doctor';

/** Since then streaming lists are on by default. */
const WATCH_LIST_VERSION = '1.34';

/** Looks at everything that an informer of this resource needs, by doing what the informer would do. Reads only. */
export class Diagnosis {
  readonly #client: ApiClient;
  readonly #resourceName: string;
  readonly #namespace: string | undefined;

  constructor(client: ApiClient, resourceName: string, namespace: string | undefined) {
    this.#client = client;
    this.#resourceName = resourceName;
    this.#namespace = namespace;
  }

  /** In the order of looking; ends after one that makes the rest useless. */
  async *findings(): AsyncGenerator<Finding, void, undefined> {
    try {
      yield* this.#server();
      const resource = await this.#resource();
      const path = pathOf(resource, this.#namespace);
      yield { check: 'resource', verdict: 'ok', detail: `${resource.kind} at ${path}` };
      const list = await this.#permission('list', path, `${path}?limit=1`);
      yield list;
      const watch = await this.#permission('watch', path, `${path}?watch=true&timeoutSeconds=1&${NOBODY}`);
      yield watch;
      if (watch.verdict === 'ok') yield* this.#watchList(path);
      if (list.verdict === 'ok') yield await this.#gzip(path);
    } catch (error) {
      const fault = faultOf(error);
      if (!(fault instanceof Fatal)) throw fault;
      yield fault.finding;
    }
  }

  async *#server(): AsyncGenerator<Finding, void, undefined> {
    const times: number[] = [];
    let version = '';
    for (let i = 0; i < ROUND_TRIPS; i++) {
      const startedAtMs = performance.now();
      const answer = await this.#client.json<{ readonly gitVersion?: string }>('/version');
      times.push(performance.now() - startedAtMs);
      version = answer.gitVersion ?? 'unknown';
    }
    yield { check: 'server', verdict: 'ok', detail: `answers; version ${version}` };
    const median = times.sort((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] ?? 0;
    yield {
      check: 'round trip',
      verdict: median > SLOW_MS ? 'warn' : 'ok',
      detail: `${time(median)}, median of ${ROUND_TRIPS}`,
      ...(median > SLOW_MS && {
        advice:
          'a larger pageSize makes fewer requests; on slow networks compression: "gzip" of the engine’s connection may help',
      }),
    };
  }

  async #resource(): Promise<DiscoveredResource> {
    const resource = findResource(await discover(this.#client), this.#resourceName);
    if (resource !== undefined) return resource;
    throw new Fatal({
      check: 'resource',
      fault: 'no-resource',
      detail: `the server has no resource ${JSON.stringify(this.#resourceName)} that can be listed`,
      advice: '"kubectl api-resources" names them; a custom resource needs its definition',
    });
  }

  async #permission(verb: 'list' | 'watch', path: string, request: string): Promise<Finding> {
    const check = `may ${verb}`;
    const answer = await this.#client.get(request);
    if (answer.code === 200) return { check, verdict: 'ok', detail: `${verb} of ${path}` };
    if (answer.code !== 403) throw new RefusedError(answer);
    const [resource = ''] = path.split('/').reverse();
    const where =
      this.#namespace === undefined
        ? 'a ClusterRole and ClusterRoleBinding'
        : `a Role and RoleBinding in ${this.#namespace}`;
    return {
      check,
      verdict: 'fail',
      fault: 'no-permission',
      detail: statusOf(answer)?.message ?? `403 for ${verb} of ${path}`,
      advice: `give the user ${where} with verbs [list, watch] on ${resource}`,
    };
  }

  async *#watchList(path: string): AsyncGenerator<Finding, void, undefined> {
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=8';
    const isEnough = (body: string): boolean => body.includes('initial-events-end');
    const answer = await this.#client.get(`${path}?${query}&${NOBODY}`, { isEnough });
    const hasBookmark = answer.code === 200 && isEnough(answer.body);
    if (hasBookmark) {
      yield { check: 'streaming list', verdict: 'ok', detail: 'the server has WatchList' };
      yield { check: 'bookmarks', verdict: 'ok', detail: 'the server sends them' };
      return;
    }
    yield {
      check: 'streaming list',
      verdict: 'warn',
      fault: 'no-watch-list',
      detail: `the server has no WatchList (${noWatchList(answer)}); lists are paged`,
      advice: `nothing need be done; servers since ${WATCH_LIST_VERSION} have it, unless the gate WatchList is off`,
    };
    yield {
      check: 'bookmarks',
      verdict: 'unknown',
      detail: 'not seen: without WatchList the first comes after a minute',
    };
  }

  async #gzip(path: string): Promise<Finding> {
    const { headers, body } = await this.#client.get(`${path}?limit=500`, { compression: 'gzip' });
    if (headers['content-encoding'] === 'gzip')
      return { check: 'gzip', verdict: 'ok', detail: 'the server compresses when asked' };
    return {
      check: 'gzip',
      verdict: 'unknown',
      detail: `${body.length} bytes were sent as they are; servers compress from 128 KiB on`,
    };
  }
}

function noWatchList(answer: ApiAnswer): string {
  if (answer.code !== 200) return `it answered ${answer.code}`;
  return answer.body === ''
    ? 'it never said that the list is complete'
    : 'it does not know sendInitialEvents';
}
