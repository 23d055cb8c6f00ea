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

/** Who asked, as far as the connection and the headers say. */
export interface Visitor {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Common name of a client certificate that the gatekeeper's authority has signed. */
  readonly certificate: string | undefined;
  /** What the client called the server in its handshake; false for an address. */
  readonly serverName: string | false | undefined;
  /** Impersonate-… headers, in lower case, each with all its lines. */
  readonly impersonation: Readonly<Record<string, readonly string[]>>;
  /** Equal numbers mean a reused connection. */
  readonly connection: number;
}

/** Undefined lets the visitor in. */
export type Admission = (visitor: Visitor) => 401 | 403 | undefined;

export const now = new Date();

export function newAuthority(commonName = 'gatekeeper'): CertificateAuthority {
  return createCertificateAuthority({ commonName, now });
}

export function clientCertificate(authority: CertificateAuthority, commonName: string): IssuedCertificate {
  return issueCertificate(authority, { commonName, usage: 'client', now });
}

export interface GatekeeperOptions {
  readonly authority?: CertificateAuthority;
  readonly hosts?: readonly string[];
  readonly notAfter?: Date;
  /** Nobody without a good certificate gets through the handshake. */
  readonly requiresCertificate?: boolean;
}

/**
 * A TLS server in front of an API server, that sees who comes and decides who may pass: tokens, certificates and authorities can be
 * changed while it runs. Requests that pass go on as plain HTTP.
 */
export class Gatekeeper implements AsyncDisposable {
  readonly visitors: Visitor[] = [];
  admission: Admission = () => undefined;
  authority: CertificateAuthority;
  readonly #target: URL;
  readonly #server: Server;
  readonly #hosts: readonly string[];
  readonly #clientAuthority: CertificateAuthority;
  readonly #connections = new WeakMap<object, number>();
  readonly #sockets = new Set<TLSSocket>();
  #count = 0;

  private constructor(target: string, options: GatekeeperOptions) {
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

  static async start(target: string, options: GatekeeperOptions = {}): Promise<Gatekeeper> {
    const gatekeeper = new Gatekeeper(target, options);
    await new Promise<void>((resolve) => gatekeeper.#server.listen(0, '127.0.0.1', resolve));
    return gatekeeper;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** A client certificate that it knows. */
  certificateOf(commonName: string): IssuedCertificate {
    return clientCertificate(this.#clientAuthority, commonName);
  }

  /** From now on its own certificate is signed by this authority. Connections that are there stay. */
  rotateAuthority(authority: CertificateAuthority): void {
    this.authority = authority;
    this.#server.setSecureContext(this.#identity());
  }

  /** Ends all connections, as a restart would. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends all connections, and waits for what was on its way from clients that are gone. */
  async quieten(): Promise<void> {
    let visits: number;
    do {
      visits = this.visitors.length;
      this.dropConnections();
      // Polls until there is no connection left and no request has arrived since.
      await new Promise((resolve) => setTimeout(resolve, 10));
    } while (this.#sockets.size > 0 || this.visitors.length > visits);
    this.visitors.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #identity(notAfter?: Date) {
    const { certificate, privateKey } = issueCertificate(this.authority, {
      commonName: 'gatekeeper',
      hosts: this.#hosts,
      usage: 'server',
      now,
      ...(notAfter && { notBefore: new Date(notAfter.getTime() - 1000), notAfter }),
    });
    return { cert: certificate, key: privateKey, ca: this.#clientAuthority.certificate };
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const visitor = this.#visitor(incoming);
    this.visitors.push(visitor);
    const refusal = this.admission(visitor);
    if (refusal === undefined) this.#passOn(incoming, response);
    else refuse(response, refusal);
  }

  #visitor(incoming: IncomingMessage): Visitor {
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

  #passOn(incoming: IncomingMessage, response: ServerResponse): void {
    const { hostname, port } = this.#target;
    const { accept } = incoming.headers;
    const onward = request(
      { hostname, port, path: incoming.url, method: incoming.method, headers: { accept } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end();
  }
}

function refuse(response: ServerResponse, code: 401 | 403): void {
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
