/** The credentials of the test control plane: the files that the API server is started with, and kubeconfigs. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import {
  createCertificateAuthority,
  type IssuedCertificate,
  issueCertificate,
} from '#dist/apiserver/certificate.js';
import type { ApiCredentials } from './api-request.js';
import type { RunFolder } from './run-folder.js';

export const ADMIN_USER = 'kubeflect-admin';
export const CERTIFICATE_USER = 'kubeflect-certificate-user';
export const CERTIFICATE_GROUP = 'kubeflect:certificate-users';

/** Credentials that exist before the API server starts. */
export interface InitialCredentials {
  admin: ApiCredentials;
  clientCertificate: ApiCredentials;
  /** The token of a user without permissions. */
  issueClientCertificate(commonName: string): IssuedCertificate;
  /** API server flags that name the files written. */
  apiServerFlags: readonly string[];
}

export function writeInitialCredentials(folder: RunFolder, now: Date): InitialCredentials {
  const authority = createCertificateAuthority({ commonName: 'kubeflect-test-ca', now });
  const server = issueCertificate(authority, {
    commonName: 'kube-apiserver',
    hosts: ['127.0.0.1', 'localhost'],
    usage: 'server',
    now,
  });
  const client = issueCertificate(authority, {
    commonName: CERTIFICATE_USER,
    organizations: [CERTIFICATE_GROUP],
    usage: 'client',
    now,
  });
  const serviceAccounts = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const adminToken = randomBytes(24).toString('hex');
  const write = (name: string, content: string): string => {
    const path = folder.file(name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const ca = authority.certificate;
  return {
    admin: { ca, token: adminToken },
    issueClientCertificate: (commonName) => issueCertificate(authority, { commonName, usage: 'client', now }),
    clientCertificate: { ca, certificate: client.certificate, privateKey: client.privateKey },
    apiServerFlags: [
      `--client-ca-file=${write('ca.crt', ca)}`,
      `--tls-cert-file=${write('server.crt', server.certificate)}`,
      `--tls-private-key-file=${write('server.key', server.privateKey)}`,
      `--token-auth-file=${write('tokens.csv', `${adminToken},${ADMIN_USER},${ADMIN_USER},"system:masters"\n`)}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${write('service-accounts.pub', serviceAccounts.publicKey)}`,
      `--service-account-signing-key-file=${write('service-accounts.key', serviceAccounts.privateKey)}`,
    ],
  };
}

/** A self-contained kubeconfig, so that the file can be copied; JSON, which is also YAML. */
export function renderKubeConfig(server: string, user: string, credentials: ApiCredentials): string {
  const { ca, token, certificate, privateKey } = credentials;
  const base64 = (pem: string | undefined): string | undefined => pem && Buffer.from(pem).toString('base64');
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'kubeflect', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [
        {
          name: user,
          user: {
            token,
            'client-certificate-data': base64(certificate),
            'client-key-data': base64(privateKey),
          },
        },
      ],
      contexts: [{ name: 'kubeflect', context: { cluster: 'kubeflect', user } }],
      'current-context': 'kubeflect',
    },
    undefined,
    2,
  );
}
