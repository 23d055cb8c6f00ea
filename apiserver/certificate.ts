/**
 * Makes a certificate authority and certificates signed by it, for TLS and client certificates on loopback.
 *
 * Node reads X.509 but cannot write it, and the package has no dependency for it, so this is the smallest writer
 * that Go, OpenSSL and Node all accept: version 3, ECDSA P-256 with SHA-256, the extensions that verifiers check.
 *
 * DER is nested tag-length-value. One certificate, as written here (RFC 5280 §4.1):
 *
 *     SEQUENCE                                    Certificate
 *     ├─ SEQUENCE                                 tbsCertificate: the bytes that are signed
 *     │  ├─ [0] INTEGER 2                         version 3
 *     │  ├─ INTEGER                               serial number: 16 bytes made from the public key
 *     │  ├─ SEQUENCE { OID }                      ecdsa-with-SHA256
 *     │  ├─ SEQUENCE OF SET OF { OID, UTF8 }      issuer:  CN
 *     │  ├─ SEQUENCE { time, time }               notBefore, notAfter
 *     │  ├─ SEQUENCE OF SET OF { OID, UTF8 }      subject: O …, CN (Kubernetes: groups, user)
 *     │  ├─ SEQUENCE                              SubjectPublicKeyInfo, as Node exports it
 *     │  └─ [3] SEQUENCE OF { OID, TRUE?, OCTETS }
 *     │                                           basicConstraints, keyUsage, extKeyUsage, key ids, subjectAltName
 *     ├─ SEQUENCE { OID }                         ecdsa-with-SHA256, again
 *     └─ BIT STRING { SEQUENCE { r, s } }         signature, as Node makes it
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/** When a certificate is valid; the caller passes in the current time. */
export interface CertificateValidity {
  now: Date;
  /** @default an hour before `now`, so that a peer with a slow clock accepts it */
  notBefore?: Date;
  /** @default a year after `now` */
  notAfter?: Date;
}

export interface CertificateAuthorityRequest extends CertificateValidity {
  commonName: string;
}

export interface CertificateRequest extends CertificateValidity {
  /** To an API server, the user's name. */
  commonName: string;
  /** To an API server, the user's groups. */
  organizations?: readonly string[];
  /** IP addresses and DNS names that clients connect to; servers ignore them in client certificates. */
  hosts?: readonly string[];
  usage: 'server' | 'client';
}

/**
 * A certificate and its private key, both PEM (the key as PKCS #8): plain data that can be posted to another
 * thread.
 */
export interface IssuedCertificate {
  certificate: string;
  privateKey: string;
}

export interface CertificateAuthority extends IssuedCertificate {
  commonName: string;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

/** `keyUsage` bits from the left (RFC 5280 §4.2.1.3): first the count of unused bits, then the bits. */
const KEY_USAGE = {
  digitalSignature: [7, 0b1000_0000],
  certificateAndRevocationListSigning: [1, 0b0000_0110],
} as const;

/** A self-signed authority that may sign leaf certificates only (path length 0). */
export function createCertificateAuthority(request: CertificateAuthorityRequest): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = distinguishedName(request.commonName, []);
  const certificate = signCertificate({
    issuer: name,
    subject: name,
    validity: request,
    publicKey,
    signingKey: privateKey,
    extensions: [
      extension(OID.basicConstraints, 'critical', sequence(der(TAG.boolean, [0xff]), integer([0]))),
      extension(OID.keyUsage, 'critical', der(TAG.bitString, KEY_USAGE.certificateAndRevocationListSigning)),
      extension(OID.subjectKeyIdentifier, 'optional', der(TAG.octetString, keyIdentifier(publicKey))),
    ],
  });
  return { commonName: request.commonName, certificate, privateKey: privateKeyPem(privateKey) };
}

/** A leaf certificate with a new key, signed by `authority`. */
export function issueCertificate(
  authority: CertificateAuthority,
  request: CertificateRequest,
): IssuedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authorityKey = createPrivateKey(authority.privateKey);
  const authorityKeyId = keyIdentifier(createPublicKey(authorityKey));
  const purpose = request.usage === 'server' ? OID.serverAuth : OID.clientAuth;
  const extensions = [
    extension(OID.basicConstraints, 'critical', sequence()),
    extension(OID.keyUsage, 'critical', der(TAG.bitString, KEY_USAGE.digitalSignature)),
    extension(OID.extKeyUsage, 'optional', sequence(objectIdentifier(purpose))),
    extension(OID.subjectKeyIdentifier, 'optional', der(TAG.octetString, keyIdentifier(publicKey))),
    extension(OID.authorityKeyIdentifier, 'optional', sequence(der(contextTag(0), authorityKeyId))),
  ];
  const hosts = request.hosts ?? [];
  if (hosts.length > 0) {
    extensions.push(extension(OID.subjectAltName, 'optional', sequence(...hosts.map(generalName))));
  }
  const certificate = signCertificate({
    issuer: distinguishedName(authority.commonName, []),
    subject: distinguishedName(request.commonName, request.organizations ?? []),
    validity: request,
    publicKey,
    signingKey: authorityKey,
    extensions,
  });
  return { certificate, privateKey: privateKeyPem(privateKey) };
}

interface CertificateContent {
  issuer: Buffer;
  subject: Buffer;
  validity: CertificateValidity;
  publicKey: KeyObject;
  signingKey: KeyObject;
  extensions: readonly Buffer[];
}

function signCertificate(content: CertificateContent): string {
  const { now, notBefore, notAfter } = content.validity;
  const publicKeyInfo = content.publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256));
  const signed = sequence(
    der(constructedContextTag(0), integer([2])),
    serialNumber(publicKeyInfo),
    algorithm,
    content.issuer,
    sequence(
      time(notBefore ?? new Date(now.getTime() - HOUR_MS)),
      time(notAfter ?? new Date(now.getTime() + YEAR_MS)),
    ),
    content.subject,
    publicKeyInfo,
    der(constructedContextTag(3), sequence(...content.extensions)),
  );
  const signature = sign('sha256', signed, content.signingKey);
  return pem('CERTIFICATE', sequence(signed, algorithm, der(TAG.bitString, [0, ...signature])));
}

/**
 * One serial number per key, without a source of randomness of its own. The two top bits are 01: DER reads the first as
 * a sign, and would want a leading zero byte dropped.
 */
function serialNumber(publicKeyInfo: Buffer): Buffer {
  const digest = createHash('sha256').update(publicKeyInfo).digest().subarray(0, 16);
  digest[0] = ((digest[0] ?? 0) & 0b0011_1111) | 0b0100_0000;
  return integer(digest);
}

/** RFC 7093 §2 method 1: 160 bits of the SHA-256 of the public point, which is the end of a P-256 key's DER. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const uncompressedPoint = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
  return createHash('sha256').update(uncompressedPoint).digest().subarray(0, 20);
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    der(TAG.set, sequence(objectIdentifier(type), der(TAG.utf8String, Buffer.from(value, 'utf8'))));
  return sequence(
    ...organizations.map((organization) => attribute(OID.organization, organization)),
    attribute(OID.commonName, commonName),
  );
}

function generalName(host: string): Buffer {
  const DNS_NAME = 2;
  const IP_ADDRESS = 7;
  return isIP(host) === 0
    ? der(contextTag(DNS_NAME), Buffer.from(host, 'ascii'))
    : der(contextTag(IP_ADDRESS), addressBytes(host));
}

function addressBytes(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  // The URL parser writes every IPv6 address in hexadecimal groups with at most one "::".
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = new Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function extension(type: string, weight: 'critical' | 'optional', value: Buffer): Buffer {
  const critical = weight === 'critical' ? [der(TAG.boolean, [0xff])] : [];
  return sequence(objectIdentifier(type), ...critical, der(TAG.octetString, value));
}

/** RFC 5280 §4.1.2.5: two-digit years up to 2049, four digits after, always to the second and in UTC. */
function time(at: Date): Buffer {
  const digits = at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return at.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(digits.slice(2), 'ascii'))
    : der(TAG.generalizedTime, Buffer.from(digits, 'ascii'));
}

function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const base128 = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) base128.unshift((high & 0x7f) | 0x80);
    bytes.push(...base128);
  }
  return der(TAG.objectIdentifier, bytes);
}

function integer(bigEndian: Iterable<number>): Buffer {
  return der(TAG.integer, [...bigEndian]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, Buffer.concat(parts));
}

function contextTag(number: number): number {
  return 0x80 | number;
}

function constructedContextTag(number: number): number {
  return 0xa0 | number;
}

/** Tag, length, value. Lengths from 128 on are written as a count of bytes and the bytes. */
function der(tag: number, value: Buffer | readonly number[]): Buffer {
  const { length } = value;
  const header =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length];
  return Buffer.concat([Buffer.from(header), Buffer.from(value)]);
}

function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
