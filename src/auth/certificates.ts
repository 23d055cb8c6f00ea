import { createPrivateKey, X509Certificate } from 'node:crypto';
import { credentialsFailure } from './credentials-failure.js';

const BLOCK =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * OpenSSL accepts any bytes as a bundle, and then trusts no certificate; the error would only be `UNABLE_TO_VERIFY`.
 */
export function checkAuthorities(pem: string, where: string): void {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw credentialsFailure(`${where} holds no PEM certificate`);
  for (const block of blocks) readCertificate(block, where);
}

/** Rejects a rotation that is half done: the new certificate with the old key. */
export function checkPair(cert: string, key: string, where: string): void {
  const certificate = readCertificate(cert, where);
  let isPair: boolean;
  try {
    isPair = certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    throw credentialsFailure(
      `the private key of ${where} cannot be read; it must be PEM without a passphrase`,
    );
  }
  if (!isPair) throw credentialsFailure(`the private key of ${where} does not belong to the certificate`);
}

function readCertificate(pem: string, where: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw credentialsFailure(`a certificate of ${where} cannot be read; it must be PEM`);
  }
}
