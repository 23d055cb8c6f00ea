import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type {
  ControlCall,
  ControlResponse,
  ObjectDigest,
  PatchType,
  RequestRecord,
  ServerCounters,
  ServerReady,
} from '../../apiserver/control/control-protocol.js';
import type { FaultHit, FaultSpec } from '../../apiserver/control/fault.js';
import type { KubeObject, ObjectReference } from '../../apiserver/control/kube-object.js';
import type { PopulateSpec } from '../../apiserver/control/populate-spec.js';
import {
  type ResolvedServerOptions,
  resolveServerOptions,
  type ServerOptions,
} from '../../apiserver/control/server-options.js';

/** apiserver/main.ts, bundled into one file by the build. */
const ENTRY = new URL('../../apiserver/bundle/main.js', import.meta.url);

/** Thrown by the write methods; `status` is what the API server would have sent over HTTP. */
export class ApiServerError extends Error {
  readonly status: { readonly code?: number; readonly reason?: string } | undefined;

  constructor(message: string, status: unknown) {
    super(message);
    this.name = 'ApiServerError';
    this.status = status as ApiServerError['status'];
  }
}

/** The active faults of the server. All methods resolve when they have taken effect. */
export interface Faults {
  /** Returns the id by which to remove it. */
  add(spec: FaultSpec): Promise<number>;
  remove(id: number): Promise<void>;
  clear(): Promise<void>;
  /** How many requests each active fault has affected. */
  hits(): Promise<readonly FaultHit[]>;
}

/** Handle of a running embedded API server. */
export interface ApiServerHandle extends AsyncDisposable {
  /** `http://127.0.0.1:port`, or `https`. */
  readonly url: string;
  readonly port: number;
  /** PEM of the CA, with TLS. */
  readonly ca: string | undefined;
  /** A kubeconfig (JSON, which is YAML): for `KubeConfig.loadFromString`, or as a file for kubectl. */
  readonly kubeConfig: string;
  /** The version of Kubernetes that it reports, such as `v1.37.1`. */
  readonly gitVersion: string;
  readonly faults: Faults;
  create(object: KubeObject): Promise<KubeObject>;
  /** Conditional if the object carries a resourceVersion. */
  update(object: KubeObject, options?: { subresource?: string }): Promise<KubeObject>;
  patch(
    target: ObjectReference,
    patch: unknown,
    options?: { type?: PatchType; subresource?: string },
  ): Promise<KubeObject>;
  delete(target: ObjectReference, options?: { gracePeriodSeconds?: number }): Promise<void>;
  get(target: ObjectReference): Promise<KubeObject | undefined>;
  /**
   * Adds generated objects, without holding them in memory, and their namespaces. With `churnPerSecond` they
   * start to change immediately. Open watches get no events for them: populate first.
   */
  populate(spec: PopulateSpec): Promise<{ count: number; resourceVersion: string }>;
  /**
   * Changes every populated object of one kind once, in random order. Resolves when that is done, or stopped by
   * `stopChurn`.
   */
  updateEach(kind: { apiVersion: string; kind: string }, options?: { perSecond?: number }): Promise<void>;
  stopChurn(): Promise<void>;
  /** Count and digest of one kind, to compare with an informer's cache. */
  digest(kind: { apiVersion: string; kind: string }): Promise<ObjectDigest>;
  /** Drops history: older resourceVersions and continue tokens expire with 410. */
  compact(resourceVersion?: string): Promise<void>;
  /** Ends every watch cleanly, as a restarted server does. */
  closeWatches(): Promise<void>;
  /** The requests of clients, oldest first; at least the last 10,000. */
  requests(options?: { after?: number }): Promise<readonly RequestRecord[]>;
  counters(): Promise<ServerCounters>;
  /** Closes every connection and ends the thread or process. Calling it again has no effect. */
  close(): Promise<void>;
}

/** Starts an API server for tests on 127.0.0.1. Resolves when it listens. */
export async function startApiServer(options: ServerOptions = {}): Promise<ApiServerHandle> {
  const resolved = resolveServerOptions(options);
  const link = resolved.run === 'process' ? new ProcessLink(resolved) : new ThreadLink(resolved);
  const ready = await link.ready;
  return new RemoteApiServer(link, resolved, ready);
}

type Ready = Extract<ServerReady, { ready: true }>;

/** The channel to the thread or process. */
interface Link {
  readonly ready: Promise<Ready>;
  call(body: ControlCall): Promise<unknown>;
  /** Resolves when the thread or process has exited. */
  end(): Promise<void>;
}

class Calls {
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #nextId = 1;
  #failure: Error | undefined;

  call(send: (id: number) => void): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  settle(response: ControlResponse): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if ('error' in response) {
      waiting?.reject(new ApiServerError(response.error.message, response.error.status));
    } else waiting?.resolve(response.result);
  }

  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Common to both links: the first message is `ready`, all others are responses to calls. */
function connect(
  calls: Calls,
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => void,
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    on('message', (message) => {
      const value = message as ServerReady | ControlResponse;
      if (!('ready' in value)) calls.settle(value);
      else if (value.ready) resolve(value);
      else reject(new Error(`the embedded API server could not listen: ${value.error}`));
    });
    const die = (error: Error): void => {
      calls.fail(error);
      reject(error);
    };
    on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
    on('exit', (code) => die(new Error(`the embedded API server has ended (exit code ${String(code)})`)));
  });
}

class ThreadLink implements Link {
  readonly ready: Promise<Ready>;
  readonly #worker: Worker;
  readonly #calls = new Calls();

  constructor(options: ResolvedServerOptions) {
    this.#worker = new Worker(ENTRY, {
      workerData: { options },
      name: 'kubeflect-apiserver',
      // The server must not inherit flags of the user's process, such as --input-type or a loader.
      execArgv: [],
    });
    this.ready = connect(this.#calls, (event, listener) => this.#worker.on(event, listener));
  }

  call(body: ControlCall): Promise<unknown> {
    return this.#calls.call((id) => this.#worker.postMessage({ id, body }));
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

class ProcessLink implements Link {
  readonly ready: Promise<Ready>;
  readonly #process: ChildProcess;
  readonly #calls = new Calls();
  readonly #gone: Promise<void>;

  constructor(options: ResolvedServerOptions) {
    this.#process = fork(ENTRY, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
    this.#gone = new Promise((resolve) => this.#process.once('exit', () => resolve()));
    this.ready = connect(this.#calls, (event, listener) => this.#process.on(event, listener));
    this.#process.send(options);
  }

  call(body: ControlCall): Promise<unknown> {
    return this.#calls.call((id) => this.#process.send({ id, body }));
  }

  end(): Promise<void> {
    this.#process.kill('SIGKILL');
    return this.#gone;
  }
}

class RemoteApiServer implements ApiServerHandle {
  readonly url: string;
  readonly port: number;
  readonly ca: string | undefined;
  readonly kubeConfig: string;
  readonly gitVersion: string;
  readonly faults: Faults;
  readonly #link: Link;
  #closing: Promise<void> | undefined;

  constructor(link: Link, options: ResolvedServerOptions, ready: Ready) {
    this.#link = link;
    this.port = ready.port;
    this.ca = ready.ca;
    this.url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${ready.port}`;
    this.kubeConfig = kubeConfigJson(this.url, ready.ca, options.token);
    this.gitVersion = options.gitVersion;
    this.faults = {
      add: (spec) => this.#call({ call: 'addFault', spec }),
      remove: (id) => this.#call({ call: 'removeFault', id }),
      clear: () => this.#call({ call: 'clearFaults' }),
      hits: () => this.#call({ call: 'faultHits' }),
    };
  }

  create(object: KubeObject): Promise<KubeObject> {
    return this.#call({ call: 'create', object });
  }

  update(object: KubeObject, options: { subresource?: string } = {}): Promise<KubeObject> {
    return this.#call({ call: 'update', object, ...options });
  }

  patch(
    target: ObjectReference,
    patch: unknown,
    options: { type?: PatchType; subresource?: string } = {},
  ): Promise<KubeObject> {
    return this.#call({ call: 'patch', target, patch, type: 'merge', ...options });
  }

  delete(target: ObjectReference, options: { gracePeriodSeconds?: number } = {}): Promise<void> {
    return this.#call({ call: 'delete', target, ...options });
  }

  get(target: ObjectReference): Promise<KubeObject | undefined> {
    return this.#call({ call: 'get', target });
  }

  populate(spec: PopulateSpec): Promise<{ count: number; resourceVersion: string }> {
    return this.#call({ call: 'populate', spec });
  }

  updateEach(
    { apiVersion, kind }: { apiVersion: string; kind: string },
    options: { perSecond?: number } = {},
  ): Promise<void> {
    return this.#call({ call: 'updateEach', apiVersion, kind, perSecond: 1000, ...options });
  }

  stopChurn(): Promise<void> {
    return this.#call({ call: 'stopChurn' });
  }

  digest({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<ObjectDigest> {
    return this.#call({ call: 'digest', apiVersion, kind });
  }

  compact(resourceVersion?: string): Promise<void> {
    return this.#call({ call: 'compact', ...(resourceVersion === undefined ? {} : { resourceVersion }) });
  }

  closeWatches(): Promise<void> {
    return this.#call({ call: 'closeWatches' });
  }

  requests(options: { after?: number } = {}): Promise<readonly RequestRecord[]> {
    return this.#call({ call: 'requests', ...options });
  }

  counters(): Promise<ServerCounters> {
    return this.#call({ call: 'counters' });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    // Close the sockets first, so that clients see a closed connection.
    await this.#link.call({ call: 'close' }).catch(() => {});
    await this.#link.end();
  }

  /** The control service returns for each call the type that the handle declares. */
  async #call<T>(body: ControlCall): Promise<T> {
    return (await this.#link.call(body)) as T;
  }
}

function kubeConfigJson(server: string, ca: string | undefined, token: string | undefined): string {
  // client-node rejects plain HTTP unless skipping TLS verification is allowed.
  const authority =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'kubeflect',
    clusters: [{ name: 'kubeflect', cluster: { server, ...authority } }],
    users: [{ name: 'kubeflect', user: token === undefined ? {} : { token } }],
    contexts: [
      { name: 'kubeflect', context: { cluster: 'kubeflect', user: 'kubeflect', namespace: 'default' } },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
