import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { acceptsGzip, isPretty, negotiate } from '../requests/negotiate.js';
import { readBody } from '../requests/request-body.js';
import type { RequestInfo } from '../requests/request-info.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import { methodNotAllowed, StatusError, unknownResource } from '../status-error.js';
import { serveDelete, serveDeleteCollection } from './delete.js';
import { serveList } from './list.js';
import { sendPlainText, serveNonResource } from './non-resource-paths.js';
import { sendStatus } from './object-response.js';
import { serveCreate, serveGet, servePatch, serveUpdate } from './object-verbs.js';
import type { RequestContext, ServerState } from './request-context.js';
import { serveSubresource } from './subresource.js';
import { serveWatch } from './watch.js';

export interface Exchange {
  readonly server: ServerState;
  readonly objects: ObjectRegistry;
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly info: RequestInfo;
  readonly writer: ResponseWriter;
  readonly port: number;
}

/** Routes a request and always responds, also after an error. */
export async function dispatch(exchange: Exchange): Promise<void> {
  const { writer, server, request } = exchange;
  const headers: Record<string, string> = {
    'Audit-Id': String(request.headers['audit-id'] ?? '') || server.environment.uid(),
    'Cache-Control': 'no-cache, private',
  };
  try {
    if (respondByFault(exchange, headers)) return;
    authenticate(exchange);
    headers['X-Kubernetes-Pf-Flowschema-Uid'] = server.environment.flowSchemaUid;
    headers['X-Kubernetes-Pf-Prioritylevel-Uid'] = server.environment.priorityLevelUid;
    await route(exchange, headers);
  } catch (error) {
    const status = error instanceof StatusError ? error : internalError(error);
    if (writer.hasBegun) {
      // The response has begun: as on a real server, the client only sees a broken connection.
      writer.destroy();
      return;
    }
    const retryAfter = status.body.details?.retryAfterSeconds;
    sendStatus(writer, request.headers, status.code, status.body, {
      isPretty: isPretty(request.headers, exchange.info.query),
      acceptsGzip: false,
      headers: { ...headers, ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }) },
    });
  } finally {
    if (!request.complete) request.resume();
  }
}

/** True if a fault sent the complete response. */
function respondByFault({ writer }: Exchange, headers: Record<string, string>): boolean {
  const status = writer.faults.get('status');
  if (status !== undefined) {
    throw new StatusError(status.code, status.reason, status.message ?? 'an injected fault', {
      ...(status.retryAfterSeconds === undefined
        ? {}
        : { details: { retryAfterSeconds: status.retryAfterSeconds } }),
    });
  }
  const maxInFlight = writer.faults.get('maxInFlight');
  if (maxInFlight !== undefined) {
    const { retryAfterSeconds } = maxInFlight;
    const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds };
    sendPlainText(writer, 429, PLAIN_TEXT_BODIES[429] ?? '', { ...headers, ...retry });
    return true;
  }
  const plain = writer.faults.get('plainText');
  if (plain !== undefined) {
    const retry = plain.retryAfterSeconds === undefined ? {} : { 'Retry-After': plain.retryAfterSeconds };
    sendPlainText(writer, plain.code, plain.text ?? PLAIN_TEXT_BODIES[plain.code] ?? 'an injected fault\n', {
      ...headers,
      ...retry,
    });
    return true;
  }
  const redirect = writer.faults.get('redirect');
  if (redirect !== undefined) {
    sendPlainText(writer, redirect.code ?? 307, '', { ...headers, Location: redirect.location });
    return true;
  }
  return false;
}

const PLAIN_TEXT_BODIES: Readonly<Record<number, string>> = {
  404: '404 page not found\n',
  429: 'Too many requests, please try again later.\n',
  503: 'service unavailable\n',
};

function authenticate({ server, request }: Exchange): void {
  const { token } = server.options;
  if (token === undefined || request.headers.authorization === `Bearer ${token}`) return;
  throw new StatusError(401, 'Unauthorized', 'Unauthorized');
}

async function route(exchange: Exchange, headers: Record<string, string>): Promise<void> {
  const { info, request, writer, server } = exchange;
  if (!info.isResourceRequest) {
    serveNonResource({ ...exchange, headers: request.headers, isHead: request.method === 'HEAD' }, headers);
    return;
  }
  const resource = server.registry.lookup(info.group, info.version, info.plural);
  if (resource === undefined || (info.namespace !== undefined && !resource.isNamespaced)) {
    if (server.registry.isBuiltInGroup(info.group)) throw unknownResource();
    sendPlainText(writer, 404, '404 page not found\n', headers);
    return;
  }
  const warning = resource.deprecationWarning;
  const context: RequestContext = {
    server,
    info,
    resource,
    headers: request.headers,
    writer,
    body: {
      isPretty: isPretty(request.headers, info.query),
      acceptsGzip: acceptsGzip(request.headers),
      headers: warning === undefined ? headers : { ...headers, Warning: `299 - ${JSON.stringify(warning)}` },
    },
    readBody: () => readBody(request),
  };
  await serve(context, exchange.objects, request.method ?? '');
}

async function serve(context: RequestContext, objects: ObjectRegistry, method: string): Promise<void> {
  const { info, resource } = context;
  if (method === 'HEAD' || method === 'OPTIONS') throw methodNotAllowed();
  const isOutsideNamespace = resource.isNamespaced && info.namespace === undefined;
  if (isOutsideNamespace && !['list', 'watch'].includes(info.verb)) throw methodNotAllowed();
  // 406 before any side effect of the request.
  if (!['list', 'watch'].includes(info.verb)) negotiate(context.headers, { resource, scope: 'object' });
  if (info.subresource !== undefined) return serveSubresource(context, info.subresource, objects);
  switch (info.verb) {
    case 'list':
      return serveList(context);
    case 'watch':
      return serveWatch(context);
    case 'get':
      return serveGet(context, objects);
    case 'create':
      if (info.name !== undefined) throw methodNotAllowed();
      return serveCreate(context, objects);
    case 'update':
      if (info.name === undefined) throw methodNotAllowed();
      return serveUpdate(context, objects);
    case 'patch':
      if (info.name === undefined) throw methodNotAllowed();
      return servePatch(context, objects);
    case 'delete':
      return serveDelete(context, objects);
    case 'deletecollection':
      if (!resource.verbs.includes('deletecollection')) throw methodNotAllowed();
      return serveDeleteCollection(context, objects);
    default:
      throw methodNotAllowed();
  }
}

function internalError(error: unknown): StatusError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`);
}
