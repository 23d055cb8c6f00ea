import { expect, it } from 'vitest';
import { redact } from '#dist/workers/connection/redact.js';

it('removes tokens, passwords and other headers, as text and in JSON, but not the impersonated user', () => {
  const basic = `Basic ${Buffer.from('jane:pa"ss').toString('base64')}`;
  const text = JSON.stringify({ a: 'Bearer token-1', b: basic, c: 'pa"ss', d: 'key 17 jane', e: 'Bearer' });
  const headers = { authorization: basic, 'x-api-key': ['key 17', 'x'], 'impersonate-user': 'jane' };
  expect(JSON.parse(redact(redact(text, headers), { Authorization: 'Bearer token-1' }))).toEqual({
    a: 'Bearer [redacted]',
    b: 'Basic [redacted]',
    c: '[redacted]',
    d: '[redacted] jane',
    e: 'Bearer',
  });
});
