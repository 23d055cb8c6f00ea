/** The embedded API server, behind a server that checks credentials and permissions, as a target of the credential suite. */

import { startApiServer } from 'kubeflect/testing';
import { ApiClient } from '../../conformance/harness/client.js';
import { CredentialCheckingServer } from '../../support/servers/credential-checking-server.js';
import type { CredentialTarget } from './credential-target.js';

export async function openEmbedded(): Promise<CredentialTarget> {
  const server = await startApiServer();
  const front = await CredentialCheckingServer.start(server.url);
  const api = new ApiClient({ url: new URL(server.url), headers: {}, tls: {} });
  const users = new Map<string, string>();
  const granted = new Set<string>();
  front.authorize = ({ authorization, certificate }) => {
    const user = users.get(authorization?.replace('Bearer ', '') ?? '') ?? certificate;
    if (user === undefined) return 401;
    return granted.has(user) ? undefined : 403;
  };
  let tokens = 0;
  return {
    server: front.url,
    ca: front.authority.certificate,
    api,
    issueToken: async (user) => {
      const token = `${user}-${++tokens}`;
      users.set(token, user);
      return token;
    },
    revokeToken: async (token) => void users.delete(token),
    issueCertificate: (user) => front.certificateOf(user),
    grant: async (user) => void granted.add(user),
    withdraw: async (user) => void granted.delete(user),
    close: async () => {
      api.close();
      await front[Symbol.asyncDispose]();
      await server.close();
    },
  };
}
