import { credentialsFailure } from '../../auth/credentials-failure.js';
import type { HttpsOptionsApplier } from '../../auth/kube-config/auth-provider.js';

const CLIENT_NODE = '@kubernetes/client-node';

interface HttpsOptions {
  readonly headers?: Readonly<Record<string, unknown>>;
}

/**
 * A user's `auth-provider` (oidc, gcp, azure), run by @kubernetes/client-node: an optional peer dependency, loaded when
 * the first token is needed. This is the only file of the package that imports it.
 */
export class ClientNodeAuthProvider implements HttpsOptionsApplier {
  readonly #authProvider: unknown;
  #kubeConfig: Promise<HttpsOptionsApplier> | undefined;

  constructor(authProvider: unknown) {
    this.#authProvider = authProvider;
  }

  /** Rejects with `KUBEFLECT_CREDENTIALS_FAILED` if client-node is not installed, or the provider returns no token. */
  async applyToHTTPSOptions(options: HttpsOptions): Promise<void> {
    const { name } = Object(this.#authProvider) as { readonly name?: unknown };
    const label = `the auth provider ${JSON.stringify(name)} of the kubeconfig`;
    this.#kubeConfig ??= this.#load(label);
    const kubeConfig = await this.#kubeConfig;
    await kubeConfig.applyToHTTPSOptions(options);
    // client-node sets nothing for a provider that it does not know, or a token that it cannot refresh.
    if (options.headers?.['Authorization'] === undefined) {
      throw credentialsFailure(
        `${label} returned no token; log in again with the tool that wrote the kubeconfig`,
      );
    }
  }

  async #load(label: string): Promise<HttpsOptionsApplier> {
    const { KubeConfig } = await import('@kubernetes/client-node').catch((error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${CLIENT_NODE}'`);
      const advice = isMissing
        ? `npm install ${CLIENT_NODE}`
        : `it failed to load (${error.code ?? error.name}); version 2 needs Node 22.19`;
      throw credentialsFailure(`${label} needs ${CLIENT_NODE}: ${advice}`);
    });
    const kubeConfig = new KubeConfig();
    // A user with the provider alone: certificates, proxies and impersonation are the engine's work. client-node writes
    // refreshed tokens into the object, hence the copy.
    kubeConfig.loadFromClusterAndUser(
      { name: 'cluster', server: 'https://localhost', skipTLSVerify: false },
      { name: 'user', authProvider: structuredClone(this.#authProvider) },
    );
    return { applyToHTTPSOptions: (options) => kubeConfig.applyToHTTPSOptions(options) };
  }
}
