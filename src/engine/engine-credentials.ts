import { checkSource, type IdentitySource } from '../auth/connection-source.js';
import { Credentials } from '../auth/credentials.js';
import { AuthProvider } from '../auth/kube-config/auth-provider.js';
import { KubeConfigSource } from '../auth/kube-config/kube-config.js';
import { invalidOption } from '../util/check-options.js';
import { type Clock, systemWallTime } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import type { ErrorReporter } from '../util/error-reporter.js';
import type { Metrics } from '../util/metrics.js';
import type { ResolvedEngineOptions } from './engine-options.js';

type ConnectionOptions = Pick<ResolvedEngineOptions, 'kubeConfig' | 'connection' | 'execPlugins'>;

/**
 * The credentials that all informers of an engine share. Throws `KUBEFLECT_OPTION_INVALID`. Reads no file and runs no
 * plugin yet.
 */
export function engineCredentials(
  options: ConnectionOptions,
  clock: Clock,
  metrics: Metrics,
  errors: ErrorReporter,
): Credentials {
  const refreshes = metrics.counter(
    'kubeflect_credentials_refreshes_total',
    'How often the credentials have changed, by reason.',
  );
  const runs = metrics.counter('kubeflect_exec_plugin_runs_total', 'Runs of exec plugins, by outcome.');
  return new Credentials({
    source: sourceOf(options, clock),
    clock,
    onProblem: (error) => errors.report(error),
    onRefresh: (reason) => {
      refreshes.labels({ reason }).increment();
      publish('kubeflect:credentials:refreshed', () => ({ reason }));
    },
    onExecRun: (outcome) => runs.labels({ outcome }).increment(),
    onInsecure: (url) => {
      const server = new URL(url).origin;
      publish('kubeflect:connection:insecure', () => ({ server }));
      process.emitWarning(`the certificate of ${server} is not verified: insecureSkipVerify is set`, {
        type: 'KubeflectWarning',
        code: 'KUBEFLECT_INSECURE',
      });
    },
  });
}

/** Fixed sources are checked immediately; a connection function is not called before it is needed. */
function sourceOf(
  { kubeConfig, connection, execPlugins }: ConnectionOptions,
  clock: Clock,
): () => IdentitySource {
  if (typeof connection === 'function') return () => checkSource(connection(), execPlugins);
  if (connection !== undefined) {
    const fixed = checkSource(connection, execPlugins);
    return () => fixed;
  }
  if (kubeConfig === undefined) throw invalidOption('Engine', 'neither kubeConfig nor connection is set');
  const provider = new AuthProvider({ kubeConfig, clock, wallTime: systemWallTime });
  const context = new KubeConfigSource(kubeConfig, provider);
  checkSource(context.read(), execPlugins);
  return () => checkSource(context.read(), execPlugins);
}
