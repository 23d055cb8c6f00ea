import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '#dist/apiserver/certificate.js';

const now = new Date();
const authority = createCertificateAuthority({ commonName: 'test-ca', now });
const server = issueCertificate(authority, {
  commonName: 'server',
  hosts: ['127.0.0.1', 'localhost', '::1', 'fe80::1:2', 'api.example.test'],
  usage: 'server',
  now,
});
const client = issueCertificate(authority, {
  commonName: 'jürgen',
  organizations: ['developers', 'operators'],
  usage: 'client',
  now,
});

describe('certificates', () => {
  test('an authority is self-signed and may sign others', () => {
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.subject).toBe('CN=test-ca');
  });

  test('a server or client certificate is signed by the authority, may not sign, and matches its key', () => {
    const issuer = new X509Certificate(authority.certificate);
    for (const { certificate: pem, privateKey } of [server, client]) {
      const certificate = new X509Certificate(pem);
      expect(certificate.ca).toBe(false);
      expect(certificate.verify(issuer.publicKey)).toBe(true);
      expect(certificate.checkIssued(issuer)).toBe(true);
      expect(certificate.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    }
  });

  test('the subject has the user and the groups in order', () => {
    expect(new X509Certificate(client.certificate).subject).toBe('O=developers\nO=operators\nCN=jürgen');
  });

  test('addresses and host names are subject alternative names of their type', () => {
    const certificate = new X509Certificate(server.certificate);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkIP('fe80::1:2')).toBe('fe80::1:2');
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
    expect(certificate.checkHost('api.example.test')).toBe('api.example.test');
    expect(certificate.checkHost('example.test')).toBeUndefined();
    expect(new X509Certificate(client.certificate).subjectAltName).toBeUndefined();
  });

  test('the validity is a year from an hour ago, or as requested, also beyond 2049', () => {
    const fixed = new Date('2026-11-17T12:34:56.789Z');
    const byDefault = createCertificateAuthority({ commonName: 'c', now: fixed });
    expect(validity(byDefault.certificate)).toEqual(['2026-11-17T11:34:56.000Z', '2027-11-17T12:34:56.000Z']);
    const asked = issueCertificate(authority, {
      commonName: 'c',
      usage: 'client',
      now: fixed,
      notBefore: new Date('2020-01-02T03:04:05Z'),
      notAfter: new Date('2051-02-03T04:05:06Z'),
    });
    expect(validity(asked.certificate)).toEqual(['2020-01-02T03:04:05.000Z', '2051-02-03T04:05:06.000Z']);
  });

  test('serial number and issuer key id identify a certificate', () => {
    const serials = [authority, server, client].map(
      ({ certificate }) => new X509Certificate(certificate).serialNumber,
    );
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
    const namesake = createCertificateAuthority({ commonName: 'test-ca', now });
    expect(
      new X509Certificate(server.certificate).checkIssued(new X509Certificate(namesake.certificate)),
    ).toBe(false);
  });
});

describe('TLS connections', () => {
  test('are verified in both directions', async () => {
    const { accepted, dialled } = await handshake({
      client: { cert: client.certificate, key: client.privateKey },
    });
    expect(dialled.authorized).toBe(true);
    expect(accepted?.authorized).toBe(true);
    expect(accepted?.peerCommonName).toBe('jürgen');
  });

  test('are accepted without a client certificate, as anonymous', async () => {
    const { accepted } = await handshake({ client: {} });
    expect(accepted?.authorized).toBe(false);
  });

  test('fail for a name that is not in the certificate', async () => {
    await expect(handshake({ client: { servername: 'elsewhere.test' } })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test('fail for a server of another authority', async () => {
    const other = createCertificateAuthority({ commonName: 'test-ca', now });
    await expect(handshake({ client: { ca: other.certificate } })).rejects.toMatchObject({
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
  });

  test('fail for a server whose certificate has expired', async () => {
    const expired = issueCertificate(authority, {
      commonName: 'server',
      hosts: ['127.0.0.1'],
      usage: 'server',
      now,
      notBefore: new Date(now.getTime() - 7_200_000),
      notAfter: new Date(now.getTime() - 3_600_000),
    });
    const options = { cert: expired.certificate, key: expired.privateKey };
    await expect(handshake({ server: options, client: {} })).rejects.toMatchObject({
      code: 'CERT_HAS_EXPIRED',
    });
  });

  test('are not authorized with a server certificate as client certificate', async () => {
    const { accepted } = await handshake({ client: { cert: server.certificate, key: server.privateKey } });
    expect(accepted?.authorized).toBe(false);
  });
});

function validity(pem: string): string[] {
  const { validFrom, validTo } = new X509Certificate(pem);
  return [validFrom, validTo].map((text) => new Date(text).toISOString());
}

interface Handshake {
  server?: TlsOptions;
  client: { cert?: string; key?: string; ca?: string; servername?: string };
}

interface Handshaken {
  dialled: { authorized: boolean };
  accepted: { authorized: boolean; peerCommonName: unknown } | undefined;
}

async function handshake(options: Handshake): Promise<Handshaken> {
  let accepted: Handshaken['accepted'];
  const listener = createServer(
    {
      cert: server.certificate,
      key: server.privateKey,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      ...options.server,
    },
    (socket: TLSSocket) => {
      accepted = { authorized: socket.authorized, peerCommonName: socket.getPeerCertificate().subject?.CN };
      socket.on('error', () => {});
      socket.end('done');
    },
  );
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certificate, ...options.client });
    await once(socket, 'secureConnect');
    const dialled = { authorized: socket.authorized };
    socket.resume();
    await once(socket, 'close');
    return { dialled, accepted };
  } finally {
    listener.close();
  }
}
