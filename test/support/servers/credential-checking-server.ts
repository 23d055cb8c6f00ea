import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
  issueCertificate,
} from '#dist/apiserver/certificate.js';

/** A request, with the identity that its connection and headers claim. */
export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Common name of a client certificate signed by the server's authority. */
  readonly certificate: string | undefined;
  /** The server name (SNI) of the TLS handshake; false for an IP address. */
  readonly serverName: string | false | undefined;
  /** Impersonate-… headers, in lower case, each with all its values. */
  readonly impersonation: Readonly<Record<string, readonly string[]>>;
  /** Equal numbers mean a reused connection. */
  readonly connection: number;
}

/** Returns the status of the error response, or undefined to accept the request. */
export type Authorize = (request: ReceivedRequest) => 401 | 403 | undefined;

export const now = new Date();

export function newAuthority(commonName = 'kubeflect-test'): CertificateAuthority {
  return createCertificateAuthority({ commonName, now });
}

export function clientCertificate(authority: CertificateAuthority, commonName: string): IssuedCertificate {
  return issueCertificate(authority, { commonName, usage: 'client', now });
}

export interface CredentialCheckingServerOptions {
  readonly authority?: CertificateAuthority;
  readonly hosts?: readonly string[];
  readonly notAfter?: Date;
  /** Rejects the TLS handshake of clients without a valid certificate. */
  readonly requiresCertificate?: boolean;
}

/**
 * A TLS server in front of an API server that records and authorizes requests: tokens, certificates and authorities can be
 * changed while it runs. Accepted requests are forwarded over plain HTTP.
 */
export class CredentialCheckingServer implements AsyncDisposable {
  readonly received: ReceivedRequest[] = [];
  authorize: Authorize = () => undefined;
  authority: CertificateAuthority;
  readonly #target: URL;
  readonly #server: Server;
  readonly #hosts: readonly string[];
  readonly #clientAuthority: CertificateAuthority;
  readonly #connections = new WeakMap<object, number>();
  readonly #sockets = new Set<TLSSocket>();
  #count = 0;

  private constructor(target: string, options: CredentialCheckingServerOptions) {
    this.#target = new URL(target);
    this.#hosts = options.hosts ?? ['127.0.0.1', 'localhost'];
    this.authority = options.authority ?? newAuthority();
    this.#clientAuthority = this.authority;
    const requestCert = { requestCert: true, rejectUnauthorized: options.requiresCertificate === true };
    this.#server = createServer(
      { ...this.#identity(options.notAfter), ...requestCert },
      (incoming, response) => this.#serve(incoming, response),
    );
    this.#server.on('secureConnection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
  }

  static async start(
    target: string,
    options: CredentialCheckingServerOptions = {},
  ): Promise<CredentialCheckingServer> {
    const server = new CredentialCheckingServer(target, options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** A client certificate that the server accepts. */
  certificateOf(commonName: string): IssuedCertificate {
    return clientCertificate(this.#clientAuthority, commonName);
  }

  /** From now on the server's certificate is signed by this authority. Open connections stay. */
  rotateAuthority(authority: CertificateAuthority): void {
    this.authority = authority;
    this.#server.setSecureContext(this.#identity());
  }

  /** Closes all connections, as a restart does. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Closes all connections, waits for requests in flight, and clears `received`. */
  async closeConnections(): Promise<void> {
    let before: number;
    do {
      before = this.received.length;
      this.dropConnections();
      // Polls until there is no connection left and no request has arrived since.
      await new Promise((resolve) => setTimeout(resolve, 10));
    } while (this.#sockets.size > 0 || this.received.length > before);
    this.received.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #identity(notAfter?: Date) {
    const { certificate, privateKey } = issueCertificate(this.authority, {
      commonName: 'kubeflect-test',
      hosts: this.#hosts,
      usage: 'server',
      now,
      ...(notAfter && { notBefore: new Date(notAfter.getTime() - 1000), notAfter }),
    });
    return { cert: certificate, key: privateKey, ca: this.#clientAuthority.certificate };
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const received = this.#describe(incoming);
    this.received.push(received);
    const code = this.authorize(received);
    if (code === undefined) this.#forward(incoming, response);
    else respondWithStatus(response, code);
  }

  #describe(incoming: IncomingMessage): ReceivedRequest {
    const socket = incoming.socket as TLSSocket & { servername?: string | false };
    const id = this.#connections.get(socket) ?? ++this.#count;
    this.#connections.set(socket, id);
    const impersonation = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      name.startsWith('impersonate-') ? [[name, values] as const] : [],
    );
    return {
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      certificate: socket.authorized ? String(socket.getPeerCertificate().subject?.CN) : undefined,
      serverName: socket.servername,
      impersonation: Object.fromEntries(impersonation),
      connection: id,
    };
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { hostname, port } = this.#target;
    const { accept } = incoming.headers;
    const forwarded = request(
      { hostname, port, path: incoming.url, method: incoming.method, headers: { accept } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.end();
  }
}

function respondWithStatus(response: ServerResponse, code: 401 | 403): void {
  const reason = { 401: 'Unauthorized', 403: 'Forbidden' }[code];
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: reason,
    reason,
    code,
  };
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(status));
}
