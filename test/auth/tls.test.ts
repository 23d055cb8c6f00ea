import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { TransportError } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TlsSource } from '#dist/src/auth/connection-source.js';
import { CredentialFixture } from '../support/credentials/credential-fixture.js';
import { CONFIG_MAPS } from '../support/engine/engine-fixture.js';
import {
  type CredentialCheckingServerOptions,
  clientCertificate,
  newAuthority,
} from '../support/servers/credential-checking-server.js';

let shared: CredentialFixture;
/** The server of the test. */
let world: CredentialFixture;

beforeAll(async () => {
  shared = await CredentialFixture.start();
});
afterEach(async () => {
  await shared.reset();
  await world.apiServer[Symbol.asyncDispose]();
  world.folder[Symbol.dispose]();
});
afterAll(() => shared[Symbol.asyncDispose]());

interface Case {
  readonly what: string;
  readonly apiServer?: CredentialCheckingServerOptions;
  readonly tls: (world: CredentialFixture) => TlsSource;
  readonly errno: RegExp;
}

const trusted = ({ ca }: CredentialFixture): TlsSource => ({ ca });

const UNTRUSTED =
  /^(CERT_SIGNATURE_FAILURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)$/;
/** What is left of an alert that comes after the handshake. */
const NO_CERTIFICATE =
  /^(ECONNRESET|EPIPE|ERR_SSL_.*CERTIFICATE_REQUIRED|ERR_SSL_.*UNKNOWN_CA|ERR_SSL_.*HANDSHAKE_FAILURE)$/;

const BAD: readonly Case[] = [
  {
    what: 'an unknown authority',
    tls: () => ({ ca: newAuthority('another').certificate }),
    errno: UNTRUSTED,
  },
  {
    what: 'another authority of the same name',
    tls: () => ({ ca: newAuthority().certificate }),
    errno: UNTRUSTED,
  },
  { what: 'no authority at all', tls: () => ({}), errno: UNTRUSTED },
  {
    what: 'a certificate that has expired',
    apiServer: { notAfter: new Date(Date.now() - 1000) },
    tls: trusted,
    errno: /^CERT_HAS_EXPIRED$/,
  },
  {
    what: 'a certificate for another host',
    apiServer: { hosts: ['elsewhere.test'] },
    tls: trusted,
    errno: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
  },
  {
    what: 'a certificate for another tls-server-name',
    tls: ({ ca }) => ({ ca, serverName: 'elsewhere.test' }),
    errno: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
  },
  {
    what: 'no client certificate where one is required',
    apiServer: { requiresCertificate: true },
    tls: trusted,
    errno: NO_CERTIFICATE,
  },
  {
    what: 'a client certificate of another authority where one is required',
    apiServer: { requiresCertificate: true },
    tls: ({ ca }) => {
      const { certificate, privateKey } = clientCertificate(newAuthority('another'), 'jane');
      return { ca, cert: certificate, key: privateKey };
    },
    errno: NO_CERTIFICATE,
  },
];

async function firstError(tls: (world: CredentialFixture) => TlsSource): Promise<unknown> {
  const connection = { server: world.apiServer.url, tls: tls(world), headers: { authorization: 'Bearer t' } };
  const informer = world.engine({ connection }).informer(CONFIG_MAPS);
  return world.synced(informer).then(
    () => undefined,
    (error: Error) => error.cause,
  );
}

describe('TLS with', () => {
  it.each(BAD)('$what is rejected, and nothing is sent', async ({ apiServer = {}, tls, errno }) => {
    world = await shared.behind(apiServer);
    const error = await firstError(tls);
    expect(error).toBeInstanceOf(TransportError);
    expect((error as TransportError).errno).toMatch(errno);
    expect(world.apiServer.received).toEqual([]);
  });

  it('no certificate authority is rejected even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      world = await shared.behind({});
      expect(await firstError(() => ({}))).toMatchObject({ errno: expect.stringMatching(UNTRUSTED) });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    [
      'a key that is not that of the certificate',
      (w: CredentialFixture): TlsSource => ({
        ca: w.ca,
        cert: w.apiServer.certificateOf('jane').certificate,
        key: w.apiServer.certificateOf('jane').privateKey,
      }),
      'does not belong to the certificate',
    ],
    [
      'a certificate without a key',
      (w: CredentialFixture): TlsSource => ({
        ca: w.ca,
        cert: w.apiServer.certificateOf('jane').certificate,
      }),
      'must be set together',
    ],
    ['an authority that is none', (): TlsSource => ({ ca: 'nonsense' }), 'holds no PEM certificate'],
  ])('%s is rejected before a connection is opened', async (_, tls, message) => {
    world = await shared.behind({});
    expect(await firstError(tls)).toMatchObject({
      code: 'KUBEFLECT_CREDENTIALS_FAILED',
      message: expect.stringContaining(message),
    });
    expect(world.apiServer.received).toEqual([]);
  });

  it('a client certificate that is required is accepted', async () => {
    world = await shared.behind({ requiresCertificate: true });
    const tls = (w: CredentialFixture): TlsSource => {
      const { certificate, privateKey } = w.apiServer.certificateOf('jane');
      return { ca: w.ca, cert: certificate, key: privateKey };
    };
    expect(await firstError(tls)).toBeUndefined();
  });

  it('insecureSkipVerify warns once', async () => {
    world = await shared.behind({});
    const said: unknown[] = [];
    const listen = (message: unknown): void => void said.push(message);
    subscribe('kubeflect:connection:insecure', listen);
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      const connection = { server: world.apiServer.url, tls: { insecureSkipVerify: true } };
      const engine = world.engine({ connection });
      for (const labelSelector of ['a=b', 'c=d']) {
        await world.synced(engine.informer({ ...CONFIG_MAPS, labelSelector }));
      }
      expect(said).toEqual([{ server: world.apiServer.url }]);
      expect(warn.mock.calls.filter(([text]) => String(text).includes('not verified'))).toHaveLength(1);
    } finally {
      unsubscribe('kubeflect:connection:insecure', listen);
      warn.mockRestore();
    }
  });
});
