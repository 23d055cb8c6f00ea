import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedServerOptions } from '../control/server-options.js';
import type { Environment } from '../environment.js';
import type { Target } from '../registry/object-access.js';
import type { RequestBody } from '../requests/request-body.js';
import type { RequestInfo } from '../requests/request-info.js';
import { groupResourceOf, type Resource } from '../resources/resource.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import type { BodyOptions } from '../responses/body.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import type { Collection } from '../storage/collection.js';
import type { Storage } from '../storage/storage.js';

/** State shared by all requests. */
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

/** One request to a resource. */
export interface RequestContext {
  readonly server: ServerState;
  readonly info: RequestInfo;
  readonly resource: Resource;
  readonly headers: IncomingHttpHeaders;
  readonly writer: ResponseWriter;
  readonly body: BodyOptions;
  /** 413 for more than 3 MiB. */
  readBody(): Promise<RequestBody>;
}

export function collectionOf(server: ServerState, resource: Resource): Collection {
  return server.storage.collection(groupResourceOf(resource));
}

export function targetOf({ resource, info }: RequestContext): Target {
  return { resource, namespace: info.namespace, name: info.name ?? '' };
}
