import type { Engine, EngineOptions, InformerOptions, KubernetesObject, SharedInformer } from 'kubeflect';
import { EngineFixture } from '../engine/engine-fixture.js';
import {
  CredentialCheckingServer,
  type CredentialCheckingServerOptions,
} from '../servers/credential-checking-server.js';
import { SecretFolder } from './secret-folder.js';

export const FAST_RETRIES: Pick<InformerOptions, 'advanced'> = {
  advanced: { reflector: { periodMs: 50, minReconnectIntervalMs: 10 } },
};

/** An embedded API server behind one that checks credentials, a folder for secrets, and engines. */
export class CredentialFixture implements AsyncDisposable {
  readonly world: EngineFixture;
  readonly apiServer: CredentialCheckingServer;
  readonly folder: SecretFolder = new SecretFolder();

  private constructor(world: EngineFixture, apiServer: CredentialCheckingServer) {
    this.world = world;
    this.apiServer = apiServer;
  }

  static async start(options: CredentialCheckingServerOptions = {}): Promise<CredentialFixture> {
    // Nobody is cut for being slow: the server runs in the thread of the test.
    const world = await EngineFixture.start({ slowWatchGraceMs: 60_000 });
    return new CredentialFixture(world, await CredentialCheckingServer.start(world.server.url, options));
  }

  /** The same fixture with another credential-checking server, which the caller closes. */
  async behind(options: CredentialCheckingServerOptions): Promise<CredentialFixture> {
    return new CredentialFixture(
      this.world,
      await CredentialCheckingServer.start(this.world.server.url, options),
    );
  }

  get ca(): string {
    return this.apiServer.authority.certificate;
  }

  /** Without threads unless told otherwise: those take longer to start than what most tests do. */
  engine(options: Partial<EngineOptions>): Engine {
    // A connection of its own would be in the way of a kubeConfig.
    return this.world.engine({ connection: undefined as never, workers: 0, ...options });
  }

  /** Waits for the first list; fails at once with the first error instead of at the end of the test's time. */
  async synced<T extends KubernetesObject>(informer: SharedInformer<T>): Promise<void> {
    informer.start();
    while (!informer.hasSynced) {
      const [error] = this.world.errors;
      if (error !== undefined) throw error;
      // Polls for errors.
      await Promise.race([informer.synced, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
  }

  /** After each test that shares the world. */
  async reset(): Promise<void> {
    await this.world.closeEngines();
    await this.apiServer.closeConnections();
    this.apiServer.authorize = () => undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.close();
    await this.apiServer[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Different for each number. */
export const tokenOf = (number: number): string => `token-${number}-of-this-test`;
