import type { IncomingHttpHeaders } from 'node:http';
import { discoveryDocument, rootPaths } from '../discovery/discovery.js';
import { HEALTH_PATHS, healthResponse } from '../discovery/health.js';
import { openApiDocument } from '../discovery/openapi.js';
import { openApiV2Document } from '../discovery/openapi-v2.js';
import { versionBody } from '../discovery/version.js';
import { encodeJson, prettyJson } from '../json.js';
import type { RequestInfo } from '../requests/request-info.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import { methodNotAllowed, unknownResource } from '../status-error.js';
import type { ServerState } from './request-context.js';

type Headers = Readonly<Record<string, string | number>>;

interface CachedDocument {
  readonly body: object;
  readonly contentType: string;
  readonly etag: string | undefined;
  readonly cacheControl?: string;
  readonly vary?: string | undefined;
}

const OTHER_PATHS = [...HEALTH_PATHS, '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];

/** Everything that is not a resource: discovery, OpenAPI, version and health; 404 for other paths. */
export function serveNonResource(
  request: {
    readonly server: ServerState;
    readonly info: RequestInfo;
    readonly writer: ResponseWriter;
    readonly headers: IncomingHttpHeaders;
    readonly isHead: boolean;
    readonly port: number;
  },
  headers: Headers,
): void {
  const { server, info, writer } = request;
  const health = healthResponse(info.path, info.query);
  if (health !== undefined) {
    send(writer, health.code, health.body, { ...headers, ...health.headers });
    return;
  }
  const resources = server.registry.all();
  if (info.path === '/openapi/v2') {
    const accept = String(request.headers.accept ?? '');
    const { body, contentType } = openApiV2Document(resources, accept, server.options.gitVersion);
    send(writer, 200, body, { ...headers, 'Content-Type': contentType });
    return;
  }
  const json = { ...headers, 'Content-Type': 'application/json' };
  const pretty = prettyDocument(server, info.path);
  const cached: CachedDocument | undefined =
    discoveryDocument(resources, info.path, {
      accept: String(request.headers.accept ?? ''),
      serverAddress: `127.0.0.1:${request.port}`,
    }) ?? openApiDocument(resources, info.path);
  if (pretty === undefined && cached === undefined) {
    const [, root, group = ''] = info.path.split('/');
    if (root === 'apis' && server.registry.isBuiltInGroup(group)) throw unknownResource();
    sendPlainText(writer, 404, '404 page not found\n', headers);
    return;
  }
  if (request.isHead) throw methodNotAllowed();
  if (pretty !== undefined) {
    send(writer, 200, prettyJson(encodeJson(pretty)), json);
    return;
  }
  if (cached === undefined) return;
  const validators = {
    ...(cached.cacheControl === undefined ? {} : { 'Cache-Control': cached.cacheControl }),
    ...(cached.vary === undefined ? {} : { Vary: cached.vary }),
    ...(cached.etag === undefined ? {} : { ETag: cached.etag }),
  };
  if (cached.etag !== undefined && request.headers['if-none-match'] === cached.etag) {
    writer.begin(304, { ...headers, ...validators });
    writer.end();
    return;
  }
  send(writer, 200, `${encodeJson(cached.body)}\n`, {
    ...headers,
    ...validators,
    'Content-Type': cached.contentType,
  });
}

export function sendPlainText(writer: ResponseWriter, status: number, text: string, headers: Headers): void {
  send(writer, status, text, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
}

function prettyDocument(server: ServerState, path: string): object | undefined {
  if (path === '/version') return versionBody({ gitVersion: server.options.gitVersion });
  return path === '/' ? rootPaths(server.registry.all(), OTHER_PATHS) : undefined;
}

function send(writer: ResponseWriter, status: number, content: string | Buffer, headers: Headers): void {
  const body = Buffer.from(content);
  writer.begin(status, { ...headers, 'Content-Length': body.length });
  writer.write(body);
  writer.end();
}
