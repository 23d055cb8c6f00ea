/** Grants the certificate user and the service account their permissions, through the API server. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiCredentials, apiRequest } from './api-request.js';
import { CERTIFICATE_GROUP } from './credentials.js';

export const SERVICE_ACCOUNT_NAMESPACE = 'kubeflect-system';
export const SERVICE_ACCOUNT_NAME = 'kubeflect';

/** Above an API server's minimum of ten minutes, and longer than any test run. */
const TOKEN_LIFETIME_SECONDS = 24 * 3600;
const POLL_INTERVAL_MS = 50;

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const READ = ['get', 'list', 'watch'];

/** The certificate user reads everything; the service account reads namespaces, pods and config maps. */
export async function grantAccess(url: string, admin: ApiCredentials): Promise<void> {
  await create(url, admin, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: SERVICE_ACCOUNT_NAMESPACE },
  });
  await create(url, admin, `/api/v1/namespaces/${SERVICE_ACCOUNT_NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: SERVICE_ACCOUNT_NAME },
  });
  // Not the `view` role, which is aggregated by a controller: no controllers run here.
  await bindRole(url, admin, {
    name: 'kubeflect:reader',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: READ },
      { nonResourceURLs: ['*'], verbs: ['get'] },
    ],
    subject: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: CERTIFICATE_GROUP },
  });
  await bindRole(url, admin, {
    name: 'kubeflect:pod-reader',
    rules: [{ apiGroups: [''], resources: ['namespaces', 'pods', 'configmaps'], verbs: READ }],
    subject: { kind: 'ServiceAccount', namespace: SERVICE_ACCOUNT_NAMESPACE, name: SERVICE_ACCOUNT_NAME },
  });
}

/** A token for the service account from the TokenRequest API. */
export async function requestServiceAccountToken(
  url: string,
  admin: ApiCredentials,
  lifetimeSeconds: number = TOKEN_LIFETIME_SECONDS,
): Promise<string> {
  const path = `/api/v1/namespaces/${SERVICE_ACCOUNT_NAMESPACE}/serviceaccounts/${SERVICE_ACCOUNT_NAME}/token`;
  const answer = await create(url, admin, path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: lifetimeSeconds },
  });
  const { status } = JSON.parse(answer) as { status: { token: string } };
  return status.token;
}

/** Polls until the response is 200: permissions and system namespaces take effect a moment after the server is ready. */
export async function waitForOk(url: string, credentials: ApiCredentials, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { status, text } = await apiRequest({ url, credentials });
    if (status === 200) return;
    if (performance.now() > deadline)
      throw new Error(`GET ${url} still returns ${status} after ${timeoutMs} ms: ${text}`);
    await sleep(POLL_INTERVAL_MS);
  }
}

interface RoleBinding {
  name: string;
  rules: readonly unknown[];
  subject: unknown;
}

async function bindRole(
  url: string,
  admin: ApiCredentials,
  { name, rules, subject }: RoleBinding,
): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name };
  await create(url, admin, `${RBAC}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata, rules });
  await create(url, admin, `${RBAC}/clusterrolebindings`, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    subjects: [subject],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  });
}

async function create(url: string, admin: ApiCredentials, path: string, body: unknown): Promise<string> {
  const { status, text } = await apiRequest({ method: 'POST', url: url + path, credentials: admin, body });
  if (status !== 201) throw new Error(`POST ${path} returned ${status}, expected 201: ${text}`);
  return text;
}
