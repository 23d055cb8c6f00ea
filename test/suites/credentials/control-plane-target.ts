/** A real API server as a target of the credential suite: users are service accounts, or names in certificates. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../conformance/harness/client.js';
import { randomName } from '../../conformance/harness/sandbox.js';
import { apiRequest } from '../../controlplane/api-request.js';
import type { ControlPlane } from '../../controlplane/control-plane.js';
import type { CredentialTarget } from './credential-target.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** An API server caches valid tokens for ten seconds; changes of RBAC take effect almost at once. */
const EFFECT_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 200;

/** The caller closes the control plane. */
export async function openControlPlane(controlPlane: ControlPlane): Promise<CredentialTarget> {
  const { url, admin } = controlPlane;
  const { ca, token = '' } = admin;
  const api = new ApiClient({
    url: new URL(url),
    headers: { Authorization: `Bearer ${token}` },
    tls: { ca },
  });
  const namespace = randomName('credentials');
  const role = randomName('kubeflect-reader');
  const post = async (path: string, body: unknown, conflictIsFine = false): Promise<string> => {
    const { status, text } = await api.request('POST', path, { body });
    if (status !== 201 && !(status === 409 && conflictIsFine)) {
      throw new Error(`POST ${path} returned ${status}, expected 201: ${text}`);
    }
    return text;
  };
  await post('/api/v1/namespaces', { metadata: { name: namespace } });
  await post(`${RBAC}/clusterroles`, {
    metadata: { name: role },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }],
  });
  const isAllowed = async (user: string): Promise<boolean> => {
    const names = [user, `system:serviceaccount:${namespace}:${user}`];
    const review = (name: string): Promise<string> =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: name, resourceAttributes: { verb: 'watch', group: '', resource: 'configmaps' } },
      });
    const answers = await Promise.all(names.map(review));
    return answers.some((text) => (JSON.parse(text) as { status: { allowed: boolean } }).status.allowed);
  };
  /** Tokens are bound to secrets: deleting the secret revokes the token. */
  const secrets = new Map<string, string>();
  const bindingOf = (user: string): string => `${role}-${user}`;
  return {
    server: url,
    ca,
    api,
    issueToken: async (user) => {
      const secret = randomName('token');
      await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: user } }, true);
      await post(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: secret } });
      const answer = await post(`/api/v1/namespaces/${namespace}/serviceaccounts/${user}/token`, {
        spec: { expirationSeconds: 3600, boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: secret } },
      });
      const { status } = JSON.parse(answer) as { status: { token: string } };
      secrets.set(status.token, secret);
      return status.token;
    },
    revokeToken: async (revoked) => {
      await api.request('DELETE', `/api/v1/namespaces/${namespace}/secrets/${secrets.get(revoked)}`);
      const ask = { url: `${url}/api/v1/namespaces`, credentials: { ca, token: revoked } };
      await until(async () => (await apiRequest(ask)).status === 401);
    },
    issueCertificate: (user) => controlPlane.issueClientCertificate(user),
    grant: async (user) => {
      await post(`${RBAC}/clusterrolebindings`, {
        metadata: { name: bindingOf(user) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [
          { kind: 'ServiceAccount', namespace, name: user },
          { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user },
        ],
      });
      await until(() => isAllowed(user));
    },
    withdraw: async (user) => {
      await api.request('DELETE', `${RBAC}/clusterrolebindings/${bindingOf(user)}`);
      await until(async () => !(await isAllowed(user)));
    },
    close: async () => api.close(),
  };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + EFFECT_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`no effect after ${EFFECT_TIMEOUT_MS} ms`);
    await sleep(POLL_INTERVAL_MS);
  }
}
