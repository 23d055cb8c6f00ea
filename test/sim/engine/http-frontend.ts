import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Status } from '#dist/src/kube/status.js';
import type { ListChunk, Rejected, WatchEntry } from '#dist/src/reflector/lister-watcher.js';
import type { Entry } from '#dist/src/store/entry.js';
import { type ApiServer, keyOf } from '../api-server.js';
import type { Live } from '../history.js';
import type { EngineContext } from './engine-schedule.js';
import type { SimExchange } from './sim-network.js';
import { jsonOf, NAMELESS_JSON, unreadableJsonOf } from './sim-objects.js';

const LIST_TYPE = '"kind":"PodList","apiVersion":"v1"';
const NOT_FOUND: Live = { name: 'other', uid: 'uid-0', resourceVersion: '1' };
const encoder = new TextEncoder();

/** Serves the API server in memory over HTTP: its chunks become the bytes that an API server would send. */
export class HttpFrontend {
  readonly #context: EngineContext;
  readonly #server: ApiServer;

  constructor(context: EngineContext, server: ApiServer) {
    this.#context = context;
    this.#server = server;
  }

  readonly handle = (exchange: SimExchange): void => {
    this.#respond(exchange).catch((error: unknown) => {
      if (!exchange.signal.aborted) this.#context.violate(`the simulated server failed: ${error}`);
    });
  };

  async #respond(exchange: SimExchange): Promise<void> {
    const { faults, random, clock } = this.#context;
    const { path, query, headers } = exchange.request;
    if (faults.strikes('net-late-headers')) {
      await new Promise<void>((resolve) => clock.schedule(resolve, random.between(1, 20_000)));
    }
    if (faults.strikes('net-proxy-answers')) {
      const isPage = random.chance(0.5);
      plain(exchange, isPage ? '200 OK' : '502 Bad Gateway', 'text/html', '<html>a proxy</html>');
    } else if (faults.strikes('net-redirect')) {
      plain(exchange, '302 Found\r\nLocation: http://elsewhere/', 'text/plain', '');
    } else if (path === '/livez') {
      this.#context.trace.count('path request probe');
      plain(exchange, '200 OK', 'text/plain', 'ok');
    } else if (headers.get('authorization') !== `Bearer ${this.#context.token}`) {
      this.#context.trace.count('path unauthorized');
      status(exchange, { code: 401, reason: 'Unauthorized' });
    } else if (path === '/api/v1/namespaces') namespaces(exchange, this.#context.clusterUid);
    else if (query.get('watch') === 'true') await this.#watch(exchange, query);
    else await this.#list(exchange, query);
  }

  async #list(exchange: SimExchange, query: URLSearchParams): Promise<void> {
    const limit = query.get('limit');
    const token = query.get('continue');
    const chunks = this.#server.list(
      {
        resourceVersion: query.get('resourceVersion') ?? '',
        ...(limit !== null && { limit: Number(limit) }),
        ...(token !== null && { continue: token }),
      },
      exchange.signal,
    );
    const body = new Body(exchange);
    let items = 0;
    let isBegun = false;
    const begin = (metadata: string): void => {
      if (isBegun) return;
      isBegun = true;
      body.write(`{${LIST_TYPE},${metadata}"items":[`);
    };
    await this.#stream(exchange, body, async () => {
      for await (const chunk of chunks) {
        if (chunk.type === 'begin') begin(`${metadataOf(chunk)},`);
        if (chunk.type === 'items') {
          begin('');
          for (const json of this.#items(chunk)) body.write(`${items++ === 0 ? '' : ','}${json}`);
        }
        if (chunk.type === 'end') {
          begin('');
          body.write(`],${metadataOf(chunk)}}`);
          body.end();
          return true;
        }
      }
      return false;
    });
  }

  async #watch(exchange: SimExchange, query: URLSearchParams): Promise<void> {
    const chunks = this.#server.watch(
      {
        resourceVersion: query.get('resourceVersion') ?? '',
        allowWatchBookmarks: true,
        timeoutSeconds: Number(query.get('timeoutSeconds')),
        ...(query.get('sendInitialEvents') === 'true' && { sendInitialEvents: true }),
      },
      exchange.signal,
    );
    const body = new Body(exchange);
    let isInitial = query.get('sendInitialEvents') === 'true';
    await this.#stream(exchange, body, async () => {
      for await (const chunk of chunks) {
        if (chunk.type === 'open') body.open();
        else {
          for (const event of chunk.events) {
            body.write(`${this.#event(event)}\n`);
            if (event.type === 'BOOKMARK' && event.initialEventsEnd) isInitial = false;
            const { key } = event.type === 'REJECTED' ? event.rejected : {};
            if (isInitial && key !== undefined) this.#context.exempt(key);
          }
        }
      }
      if (this.#context.faults.strikes('net-ends-in-line')) body.write(this.#halfEvent());
      body.end();
      return true;
    });
  }

  /** The beginning of the next event, as sent by a proxy that has buffered so much and ends the body cleanly. */
  #halfEvent(): string {
    const { history, random } = this.#context;
    if (history.latest === 0) return '{"type":';
    const change = history.change(history.latest);
    const line = `{"type":"${change.type}","object":${jsonOf(change, false)}}`;
    return line.slice(0, random.between(1, line.length - 1));
  }

  /** An error of the server becomes a Status response, or the end of the connection. */
  async #stream(exchange: SimExchange, body: Body, send: () => Promise<boolean>): Promise<void> {
    const { subject, random } = this.#context;
    try {
      const isComplete = await send();
      if (!isComplete) exchange.close(random.chance(0.5));
      else exchange.done();
    } catch (error) {
      if (exchange.signal.aborted) return;
      if (error instanceof subject.ApiStatusError && !body.isOpen)
        status(exchange, error.status, error.retryAfterMs);
      else if (error instanceof subject.ApiStatusError || error instanceof subject.TransportError)
        exchange.close(true);
      else throw error;
    }
  }

  *#items(chunk: Extract<ListChunk<KubernetesObject>, { type: 'items' }>): Generator<string> {
    for (const entry of chunk.entries) yield jsonOf(this.#liveOf(entry), true);
    for (const rejected of chunk.rejected ?? []) {
      if (rejected.key !== undefined) this.#context.exempt(rejected.key);
      yield this.#rejected(rejected, true);
    }
  }

  #event(event: WatchEntry<KubernetesObject>): string {
    switch (event.type) {
      case 'ERROR': {
        const isStatus = event.status.code !== undefined;
        const object = isStatus ? statusObject(event.status) : {};
        return `{"type":"ERROR","object":${JSON.stringify(object)}}`;
      }
      case 'BOOKMARK': {
        const annotations = event.initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : undefined;
        const metadata = { resourceVersion: event.resourceVersion, annotations };
        const object = { kind: 'Pod', apiVersion: 'v1', metadata };
        return `{"type":"BOOKMARK","object":${JSON.stringify(object)}}`;
      }
      case 'REJECTED':
        return this.#rejectedEvent(event.rejected);
      default:
        return `{"type":"${event.type}","object":${jsonOf(this.#liveOf(event.entry), false)}}`;
    }
  }

  #rejectedEvent(rejected: Rejected): string {
    const { eventType, key } = rejected;
    if (rejected.reason === 'unknown-event') {
      return `{"type":"${eventType}","object":${key === undefined ? '{}' : jsonOf(this.#liveAt(key), false)}}`;
    }
    if (key === undefined && eventType === undefined) return `{"type":"ADDED","object":${NAMELESS_JSON}`;
    return `{"type":"${eventType}","object":${this.#rejected(rejected, false)}}`;
  }

  #rejected({ reason, key }: Rejected, isItem: boolean): string {
    if (reason === 'wrong-type') return '{"kind":"Service","apiVersion":"v1","metadata":{"name":"other"}}';
    if (key === undefined) return NAMELESS_JSON;
    return unreadableJsonOf(this.#liveAt(key), isItem, this.#context.random.next());
  }

  #liveOf({ name, uid, resourceVersion }: Entry): Live {
    const era = this.#context.history.eraOf(resourceVersion);
    return { name, uid, resourceVersion, ...(era !== undefined && { era }) };
  }

  #liveAt(key: string): Live {
    const { history } = this.#context;
    for (const live of history.stateAt(history.latest).values()) if (keyOf(live.name) === key) return live;
    return { ...NOT_FOUND, name: key.slice(key.indexOf('/') + 1) };
  }
}

/** A chunked body; its head is sent with the first chunk. */
class Body {
  readonly #exchange: SimExchange;
  isOpen = false;

  constructor(exchange: SimExchange) {
    this.#exchange = exchange;
  }

  open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.#send('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
  }

  write(data: string): void {
    this.open();
    this.#send(`${encoder.encode(data).length.toString(16)}\r\n${data}\r\n`);
  }

  end(): void {
    this.open();
    this.#send('0\r\n\r\n');
  }

  #send(data: string): void {
    this.#exchange.write(encoder.encode(data));
  }
}

function status(exchange: SimExchange, details: Status, retryAfterMs?: number): void {
  const retryAfter = retryAfterMs === undefined ? '' : `\r\nRetry-After: ${Math.ceil(retryAfterMs / 1000)}`;
  const body = JSON.stringify(statusObject(details));
  plain(exchange, `${details.code ?? 500} Status${retryAfter}`, 'application/json', body);
}

/** The list of the namespace by which a cluster is identified. */
function namespaces(exchange: SimExchange, uid: string): void {
  const metadata = { name: 'kube-system', uid, resourceVersion: '1' };
  const list = {
    kind: 'NamespaceList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
    items: [{ metadata }],
  };
  plain(exchange, '200 OK', 'application/json', JSON.stringify(list));
}

function plain(exchange: SimExchange, start: string, type: string, body: string): void {
  const head = `HTTP/1.1 ${start}\r\nContent-Type: ${type}\r\nContent-Length: ${encoder.encode(body).length}\r\n\r\n`;
  exchange.write(encoder.encode(head + body));
  exchange.done();
}

function statusObject(details: Status): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...details };
}

function metadataOf(page: { readonly resourceVersion: string; readonly continue: string }): string {
  return `"metadata":${JSON.stringify({ resourceVersion: page.resourceVersion, continue: page.continue || undefined })}`;
}
