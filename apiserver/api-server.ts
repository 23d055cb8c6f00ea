import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { RequestRecord, ServerCounters } from './control/control-protocol.js';
import type { ResolvedServerOptions } from './control/server-options.js';
import { dispatch } from './endpoints/dispatch.js';
import type { ServerState } from './endpoints/request-context.js';
import { Environment } from './environment.js';
import { FaultTable } from './faults/fault-table.js';
import { bootstrap } from './registry/bootstrap.js';
import { Controllers } from './registry/controllers.js';
import { ObjectRegistry } from './registry/object-registry.js';
import { RequestLog } from './request-log.js';
import { parseRequestInfo, type RequestInfo } from './requests/request-info.js';
import { ResourceRegistry } from './resources/resource-registry.js';
import { ResponseWriter } from './responses/response-writer.js';
import { Storage } from './storage/storage.js';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** The revision of a fresh control plane is not 1 either: kube-apiserver first writes its own objects. */
const FIRST_REVISION = 100;
const HTTP2_STREAMS = 100;

export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

/** The embedded API server: a listener on loopback in front of storage. */
export class ApiServer {
  readonly state: ServerState;
  readonly objects: ObjectRegistry;
  readonly faults: FaultTable = new FaultTable();
  readonly requests: RequestLog = new RequestLog();
  readonly #server: Server;
  readonly #controllers: Controllers;
  readonly #sockets = new Set<Socket>();
  readonly #connectionIds = new WeakMap<object, number>();
  #connections = 0;
  #port = 0;
  #relisten: NodeJS.Timeout | undefined;

  constructor(options: ResolvedServerOptions, tls: TlsIdentity | undefined) {
    const environment = new Environment(options.seed);
    const storage = new Storage({ firstRevision: FIRST_REVISION, maxEvents: options.historyEvents });
    const registry = new ResourceRegistry();
    this.objects = new ObjectRegistry(storage, registry, environment);
    this.#controllers = new Controllers(this.objects, options);
    this.objects.observe(this.#controllers);
    this.state = {
      options,
      environment,
      storage,
      registry,
      counters: { eventsWritten: 0, bytesWritten: 0, slowWatchesCut: 0, openWatches: 0 },
    };
    bootstrap(this.objects);
    this.#server = this.#createListener(tls);
  }

  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    await this.#listenOn(this.state.options.port);
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection; nothing of the server is left running. */
  async close(): Promise<void> {
    clearTimeout(this.#relisten);
    this.#controllers.stop();
    const closed = new Promise<void>((resolve) => {
      if (this.#server.listening) this.#server.close(() => resolve());
      else resolve();
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  counters(): ServerCounters {
    const { storage, counters } = this.state;
    return {
      resourceVersion: String(storage.revision),
      compactedResourceVersion: String(storage.compacted),
      objects: storage.counts(),
      requests: this.requests.count,
      ...counters,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  #createListener(tls: TlsIdentity | undefined): Server {
    const handle = (request: Request, response: Response): void => void this.#serve(request, response);
    const { options } = this.state;
    const server =
      tls === undefined
        ? createServer(handle)
        : options.http2
          ? (createSecureServer(
              { ...tls, allowHTTP1: true, settings: { maxConcurrentStreams: HTTP2_STREAMS } },
              handle,
            ) as unknown as Server)
          : createTlsServer(tls, handle);
    // Watches are long-lived and clients may read lists slowly: the server's own deadlines apply, not Node's.
    server.requestTimeout = 0;
    server.keepAliveTimeout = 90_000;
    server.on('connection', (socket: Socket) => {
      // Node disables Nagle's algorithm for HTTP/1.1 only; otherwise a response over TLS waits 40 ms for the
      // ACK of its headers.
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    return server;
  }

  #listenOn(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  async #serve(request: Request, response: Response): Promise<void> {
    // A client that disconnects during the response is not an error of the server.
    request.on('error', () => {});
    const info = this.#readInfo(request);
    const record = this.#record(request, info);
    const plan = this.faults.take(record);
    record.faults.push(...plan.faults.map(({ type }) => type));
    const writer = new ResponseWriter(response, plan, record, (count) => {
      this.state.counters.bytesWritten += count;
    });
    response.on('close', () => {
      record.endedMs = this.state.environment.elapsedMs();
      plan.end();
    });
    const refuse = plan.get('refuse');
    if (refuse !== undefined) {
      this.#refuseFor(refuse.forMs ?? 0);
      writer.destroy();
      return;
    }
    const delay = plan.get('delay');
    if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay.ms));
    await dispatch({ server: this.state, objects: this.objects, request, info, writer, port: this.#port });
  }

  #readInfo(request: Request): RequestInfo {
    const method = request.method ?? 'GET';
    try {
      return parseRequestInfo(method, request.url ?? '/');
    } catch {
      return parseRequestInfo(method, '/badly-escaped');
    }
  }

  #record(request: Request, info: RequestInfo): RequestRecord {
    const connection = 'stream' in request ? (request.stream.session ?? request) : request.socket;
    let id = this.#connectionIds.get(connection);
    if (id === undefined) {
      id = ++this.#connections;
      this.#connectionIds.set(connection, id);
    }
    const header = (name: string): string => String(request.headers[name] ?? '');
    return this.requests.add({
      verb: info.verb,
      method: request.method ?? '',
      path: info.path,
      query: Object.fromEntries(info.query),
      userAgent: header('user-agent'),
      accept: header('accept'),
      acceptEncoding: header('accept-encoding'),
      httpVersion: request.httpVersion,
      connection: id,
      bytes: 0,
      events: 0,
      startedMs: this.state.environment.elapsedMs(),
      faults: [],
    });
  }

  /** Closes the listener and every connection for a while; the kernel refuses new connections. */
  #refuseFor(ms: number): void {
    if (ms <= 0 || !this.#server.listening) return;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#relisten = setTimeout(() => void this.#listenOn(this.#port), ms);
  }
}
