import { expect, it } from 'vitest';
import { bearerExpiryMs, renewalTimeMs } from '#dist/src/auth/credential-renewal.js';

it('credentials are renewed a minute before they expire, unless they have less time left', () => {
  expect(renewalTimeMs(0, 600_000)).toBe(540_000);
  expect(renewalTimeMs(0, 60_001)).toBe(1);
  expect(renewalTimeMs(0, 60_000)).toBe(60_000);
  expect(renewalTimeMs(0, 10)).toBe(10);
});

it('the expiry of a JSON web token is read, if it has one', () => {
  const tokenOf = (payload: string) => `Bearer h.${Buffer.from(payload).toString('base64url')}.s`;
  expect(bearerExpiryMs(tokenOf('{"exp":17}'))).toBe(17_000);
  for (const none of [
    tokenOf('{"exp":"17"}'),
    tokenOf('{}'),
    tokenOf('null'),
    tokenOf('nonsense'),
    'Bearer x',
    5,
    undefined,
  ]) {
    expect(bearerExpiryMs(none)).toBeUndefined();
  }
});
