import type { IncomingHttpHeaders } from 'node:http';
import type { Environment } from '../environment.js';
import type { ResolvedServerOptions } from '../options.js';
import type { ResourceRegistry } from '../resources/registry.js';
import { groupResourceOf, type Resource } from '../resources/resource.js';
import type { Collection } from '../storage/collection.js';
import type { Storage } from '../storage/storage.js';
import type { BodyOptions } from './body.js';
import type { RequestBody } from './request-body.js';
import type { RequestInfo } from './request-info.js';
import type { ResponseWriter } from './response-writer.js';

/** What the server's parts share. */
export interface ServerState {
  readonly options: ResolvedServerOptions;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly counters: {
    eventsWritten: number;
    bytesWritten: number;
    slowWatchesCut: number;
    openWatches: number;
  };
}

/** One request to a resource, on its way through an endpoint. */
export interface RequestContext {
  readonly server: ServerState;
  readonly info: RequestInfo;
  readonly resource: Resource;
  readonly headers: IncomingHttpHeaders;
  readonly writer: ResponseWriter;
  readonly body: BodyOptions;
  /** Refuses more than 3 MiB. */
  readBody(): Promise<RequestBody>;
}

export function collectionOf(server: ServerState, resource: Resource): Collection {
  return server.storage.collection(groupResourceOf(resource));
}

/** Keys with start <= key < end. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

/** Above every key: names are ASCII. */
const AFTER_ALL = '\u{ffff}';

/** What a path reaches: everything, one namespace, or one object. `0` follows `/` in the order of bytes. */
export function keyRange(namespace: string | undefined, name?: string): KeyRange {
  if (name !== undefined) {
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    return { start: key, end: `${key}\0` };
  }
  if (namespace === undefined) return { start: '', end: AFTER_ALL };
  return { start: `${namespace}/`, end: `${namespace}0` };
}
