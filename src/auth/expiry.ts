/** Credentials are renewed this long before they expire: a request may be on its way for a while, and clocks differ. */
const SKEW_MS = 60_000;

/** When to ask for others. What has little time left when it comes is used to its end: asking again would bring the same. */
export function renewalTimeMs(nowMs: number, expiresAtMs: number): number {
  const early = expiresAtMs - SKEW_MS;
  return early > nowMs ? early : expiresAtMs;
}

/** The `exp` of a JSON web token; undefined if it is none, or has none. Nothing is verified: the server does that. */
export function bearerExpiryMs(authorization: unknown): number | undefined {
  const payload = typeof authorization === 'string' ? authorization.split('.')[1] : undefined;
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
