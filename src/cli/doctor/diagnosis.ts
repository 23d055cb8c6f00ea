import {
  type ApiClient,
  type ApiResponse,
  ApiResponseError,
  statusOf,
  UnreachableError,
} from '../api/api-client.js';
import { discover, findResource, pathOf } from '../api/discovery.js';
import { formatDuration } from '../terminal/format.js';
import type { Finding } from './classify-error.js';
import { compareWithSchema } from './schema-version.js';

const ROUND_TRIPS = 5;

/** Above this, lists of many pages are slow. */
const SLOW_ROUND_TRIP_MS = 100;

/** Selects a name that no object has, so that the checks cost the server nothing. */
const NO_OBJECT = 'fieldSelector=metadata.name%3Dkubeflect-doctor';

const WATCH_LIST_QUERY = [
  'watch=true',
  'sendInitialEvents=true',
  'resourceVersionMatch=NotOlderThan',
  'allowWatchBookmarks=true',
  'timeoutSeconds=8',
].join('&');

/** The first version that has streaming lists on by default. */
const WATCH_LIST_VERSION = '1.34';

/** Checks everything that an informer of a resource needs, by sending the requests that it would send. Reads only. */
export class Diagnosis {
  readonly #client: ApiClient;
  readonly #resourceName: string;
  readonly #namespace: string | undefined;

  constructor(client: ApiClient, resourceName: string, namespace: string | undefined) {
    this.#client = client;
    this.#resourceName = resourceName;
    this.#namespace = namespace;
  }

  /** Ends after a finding that makes further checks pointless. Throws what `classifyError` understands. */
  async *findings(): AsyncGenerator<Finding, void, undefined> {
    yield* this.#checkServer();
    const resource = findResource(await discover(this.#client), this.#resourceName);
    if (resource === undefined) {
      yield {
        check: 'resource',
        verdict: 'fail',
        fault: 'no-resource',
        detail: `the server has no listable resource ${JSON.stringify(this.#resourceName)}`,
        advice: '"kubectl api-resources" prints all; a custom resource needs its definition',
      };
      return;
    }
    const path = pathOf(resource, this.#namespace);
    yield { check: 'resource', verdict: 'ok', detail: `${resource.kind} at ${path}` };
    const list = await this.#checkPermission('list', path, `${path}?limit=1`);
    yield list;
    const watchQuery = `watch=true&timeoutSeconds=1&${NO_OBJECT}`;
    if (list.fault === 'no-response') return;
    const watch = await this.#checkPermission('watch', path, `${path}?${watchQuery}`);
    yield watch;
    if (watch.verdict === 'ok') yield* this.#checkWatchList(path);
    if (list.verdict === 'ok') yield await this.#checkGzip(path);
  }

  async *#checkServer(): AsyncGenerator<Finding, void, undefined> {
    const timesMs: number[] = [];
    let version = '';
    for (let i = 0; i < ROUND_TRIPS; i++) {
      const startedAtMs = performance.now();
      const response = await this.#client.json<{ readonly gitVersion?: string }>('/version');
      timesMs.push(performance.now() - startedAtMs);
      version = response.gitVersion ?? 'unknown';
    }
    yield { check: 'server', verdict: 'ok', detail: `responds; version ${version}` };
    yield compareWithSchema(version);
    const medianMs = timesMs.sort((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] ?? 0;
    const isSlow = medianMs > SLOW_ROUND_TRIP_MS;
    yield {
      check: 'round trip',
      verdict: isSlow ? 'warn' : 'ok',
      detail: `${formatDuration(medianMs)}, median of ${ROUND_TRIPS}`,
      ...(isSlow && {
        advice: 'a larger pageSize needs fewer requests; compression: "gzip" of the connection may help, too',
      }),
    };
  }

  async #checkPermission(verb: 'list' | 'watch', path: string, request: string): Promise<Finding> {
    const check = `may ${verb}`;
    const response = await this.#client.get(request).catch((error: unknown) => {
      if (error instanceof UnreachableError && error.code === 'ETIMEDOUT') return undefined;
      throw error;
    });
    if (response === undefined) return noResponse(check, verb, path);
    if (response.code === 200) return { check, verdict: 'ok', detail: `${verb} ${path}` };
    if (response.code !== 403) throw new ApiResponseError(response);
    const [resource = ''] = path.split('/').reverse();
    const role =
      this.#namespace === undefined
        ? 'a ClusterRole and ClusterRoleBinding'
        : `a Role and RoleBinding in ${this.#namespace}`;
    return {
      check,
      verdict: 'fail',
      fault: 'no-permission',
      detail: statusOf(response)?.message ?? `403 for ${verb} ${path}`,
      advice: `give the user ${role} with verbs [list, watch] on ${resource}`,
    };
  }

  async *#checkWatchList(path: string): AsyncGenerator<Finding, void, undefined> {
    const isEnough = (body: string): boolean => body.includes('initial-events-end');
    const response = await this.#client.get(`${path}?${WATCH_LIST_QUERY}&${NO_OBJECT}`, { isEnough });
    if (response.code === 200 && isEnough(response.body)) {
      yield { check: 'streaming list', verdict: 'ok', detail: 'the server has WatchList' };
      yield { check: 'bookmarks', verdict: 'ok', detail: 'the server sends them' };
      return;
    }
    yield {
      check: 'streaming list',
      verdict: 'warn',
      fault: 'no-watch-list',
      detail: `the server has no WatchList (${noWatchListReason(response)}); lists are paged`,
      advice: `none needed; servers since ${WATCH_LIST_VERSION} have it unless the feature gate WatchList is off`,
    };
    yield {
      check: 'bookmarks',
      verdict: 'unknown',
      detail: 'not seen: without WatchList the first one comes after a minute',
    };
  }

  async #checkGzip(path: string): Promise<Finding> {
    const { headers, body } = await this.#client.get(`${path}?limit=500`, { compression: 'gzip' });
    if (headers['content-encoding'] === 'gzip') {
      return { check: 'gzip', verdict: 'ok', detail: 'the server compresses on request' };
    }
    return {
      check: 'gzip',
      verdict: 'unknown',
      detail: `a response of ${body.length} bytes was not compressed; servers compress from 128 KiB`,
    };
  }
}

/** The server itself has responded to other requests: it waits for an aggregated API server, or for its storage. */
function noResponse(check: string, verb: string, path: string): Finding {
  const [, , group, version] = path.split('/');
  const isGroup = path.startsWith('/apis/');
  return {
    check,
    verdict: 'fail',
    fault: 'no-response',
    detail: `the server responds, but not to ${verb} ${path}`,
    advice: isGroup
      ? `"kubectl get apiservice ${version}.${group}" names the service that serves this API, if it is an aggregated one`
      : 'the API server may be overloaded: check its logs and its storage',
  };
}

function noWatchListReason({ code, body }: ApiResponse): string {
  if (code !== 200) return `it responded with ${code}`;
  return body === '' ? 'it never sent the end bookmark' : 'it does not know sendInitialEvents';
}
