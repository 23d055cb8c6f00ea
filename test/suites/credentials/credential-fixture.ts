import {
  ApiStatusError,
  type ConnectionSource,
  Engine,
  type InformerOptions,
  type KubeflectError,
  type SharedInformer,
} from 'kubeflect';
import { expect, vi } from 'vitest';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import { SecretFolder } from '../../support/credentials/secret-folder.js';
import { TunnelProxy } from '../../support/servers/tunnel-proxy.js';
import type { CredentialTarget } from './credential-target.js';

/** For RBAC changes to take effect, on a loaded machine. */
const PATIENCE = { timeout: 30_000, interval: 20 };

const FAST_RETRIES = { reflector: { periodMs: 200, minReconnectIntervalMs: 50 } };

/** The fixture of one case: a namespace, a folder for secrets, engines, and a proxy that can cut their connections. */
export class CredentialFixture implements AsyncDisposable {
  readonly target: CredentialTarget;
  readonly ns: Sandbox;
  readonly folder: SecretFolder = new SecretFolder();
  readonly errors: KubeflectError[] = [];
  readonly #proxy: TunnelProxy;
  readonly #engines: Engine[] = [];

  private constructor(target: CredentialTarget, ns: Sandbox, proxy: TunnelProxy) {
    this.target = target;
    this.ns = ns;
    this.#proxy = proxy;
  }

  static async open(target: CredentialTarget): Promise<CredentialFixture> {
    return new CredentialFixture(target, await Sandbox.open(target.api), await TunnelProxy.start('http'));
  }

  /** Starts an informer, by default of the config maps of the namespace. */
  start(login: Partial<ConnectionSource>, options: Partial<InformerOptions> = {}): SharedInformer {
    const { server, ca } = this.target;
    const engine = new Engine({
      connection: { server, tls: { ca }, proxyUrl: this.#proxy.url, ...login },
      workers: 1,
      onError: (error) => void this.errors.push(error),
    });
    this.#engines.push(engine);
    const collection = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespace: this.ns.name };
    const informer = engine.informer({ ...collection, advanced: FAST_RETRIES, ...options });
    informer.start();
    return informer;
  }

  /** Cuts every connection of the engines, as a restarted load balancer does. */
  cut(): void {
    this.#proxy.dropConnections();
  }

  /** The number of connections opened so far. */
  get connections(): number {
    return this.#proxy.targets.length;
  }

  /** The number of lists after the first. */
  get relists(): number {
    const informers = this.#engines.flatMap((engine) => engine.stats().informers);
    return informers.reduce((sum, { relists }) => sum + relists, 0);
  }

  async create(name: string): Promise<void> {
    await this.ns.create('configmaps', { metadata: { name } });
  }

  async sees(informer: SharedInformer, name: string): Promise<void> {
    const key = `${this.ns.name}/${name}`;
    await vi.waitFor(() => expect(informer.lister.get(key), key).toBeDefined(), PATIENCE);
  }

  /** The status codes of the server's error responses that were reported to onError. */
  get refusals(): number[] {
    return this.errors.flatMap(({ cause }) =>
      cause instanceof ApiStatusError ? [cause.status.code ?? 0] : [],
    );
  }

  async refused(code: number): Promise<void> {
    await vi.waitFor(() => expect(this.refusals).toContain(code), PATIENCE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()));
    await this.#proxy[Symbol.asyncDispose]();
    await this.ns.close();
    this.folder[Symbol.dispose]();
  }
}
