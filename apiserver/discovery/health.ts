/** `/healthz`, `/livez`, `/readyz` and their single checks, with the bodies of kube-apiserver. */

export interface HealthResponse {
  readonly code: 200 | 500;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const TEXT: Readonly<Record<string, string>> = { 'Content-Type': 'text/plain; charset=utf-8' };
const SNIFFED_TEXT: Readonly<Record<string, string>> = { ...TEXT, 'X-Content-Type-Options': 'nosniff' };

/** In the order of the verbose response: all that kube-apiserver 1.37 lists after its first checks. */
const START_CHECKS: readonly string[] = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/peer-endpoint-reconciler-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const ALIVE: readonly string[] = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...START_CHECKS];

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ALIVE,
  livez: ALIVE,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...START_CHECKS, 'shutdown'],
};

/** Every health path, for the list at `/`. */
export const HEALTH_PATHS: readonly string[] = Object.entries(CHECKS).flatMap(([name, checks]) => [
  `/${name}`,
  ...checks.map((check) => `/${name}/${check}`),
]);

/**
 * Undefined for other paths; the method is ignored. `failing` has the checks that fail, with the reason, which
 * only the check's own path reports.
 */
export function healthResponse(
  path: string,
  query: URLSearchParams,
  failing: ReadonlyMap<string, string> = new Map(),
): HealthResponse | undefined {
  if (!HEALTH_PATHS.includes(path)) return undefined;
  const [, name = '', ...check] = path.split('/');
  return check.length === 0
    ? overallResponse(name, CHECKS[name] ?? [], query, failing)
    : singleResponse(failing.get(check.join('/')));
}

function overallResponse(
  name: string,
  checks: readonly string[],
  query: URLSearchParams,
  failing: ReadonlyMap<string, string>,
): HealthResponse {
  const excluded = new Set(query.getAll('exclude'));
  const asked = checks.filter((check) => !excluded.has(check));
  const lines = checks.map((check) => {
    if (excluded.has(check)) return `[+]${check} excluded: ok\n`;
    return failing.has(check) ? `[-]${check} failed: reason withheld\n` : `[+]${check} ok\n`;
  });
  const unknown = [...excluded].filter((check) => !checks.includes(check)).sort();
  if (unknown.length > 0) {
    const names = unknown.map((check) => JSON.stringify(check)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  if (asked.some((check) => failing.has(check))) {
    return { code: 500, body: `${lines.join('')}${name} check failed\n`, headers: SNIFFED_TEXT };
  }
  const body = query.has('verbose') ? `${lines.join('')}${name} check passed\n` : 'ok';
  return { code: 200, body, headers: SNIFFED_TEXT };
}

function singleResponse(failure: string | undefined): HealthResponse {
  return failure === undefined
    ? { code: 200, body: 'ok', headers: TEXT }
    : { code: 500, body: `internal server error: ${failure}\n`, headers: SNIFFED_TEXT };
}
