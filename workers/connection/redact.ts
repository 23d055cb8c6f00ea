import type { HeaderFields } from '../../src/wire/connection-settings.js';

/** Shorter secrets would be found in any text. */
const MIN_LENGTH = 4;

/** Removes credentials that a server or a proxy quotes in its error response. */
export function redact(text: string, headers: HeaderFields): string {
  let redacted = text;
  for (const secret of secretsOf(headers)) {
    if (secret.length < MIN_LENGTH) continue;
    for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
      redacted = redacted.replaceAll(form, '[redacted]');
    }
  }
  return redacted;
}

function secretsOf(headers: HeaderFields): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    // An error response is about the impersonated user: that is no secret.
    if (/^impersonate-/i.test(name)) return [];
    if (name.toLowerCase() !== 'authorization') return value;
    return [value].flat().flatMap(authorizationSecrets);
  });
}

/** The token; or user and password together, and the password alone. */
function authorizationSecrets(value: string): string[] {
  const secret = value.slice(value.indexOf(' ') + 1).trim();
  if (!/^basic /i.test(value)) return [secret];
  const pair = Buffer.from(secret, 'base64').toString();
  return [secret, pair, pair.slice(pair.indexOf(':') + 1)];
}
