import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wireErrorOf } from '#dist/workers/connection/error-response.js';
import { VERSION } from '#dist/workers/connection/request.js';

function refuse(code: number, body: string, retryAfter?: string) {
  return wireErrorOf({ code, body, retryAfter });
}

const STATUS = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: 'Expired',
  code: 410,
};

describe('wireErrorOf', () => {
  it('passes on the Status of the server unchanged', () => {
    expect(refuse(410, JSON.stringify(STATUS))).toEqual({ type: 'status', status: STATUS });
  });

  it('accepts a Status without kind, as that of the deadline, and adds a missing code', () => {
    const body = '{"metadata":{},"status":"Failure","message":"did not complete","reason":"Timeout"}';
    expect(refuse(504, body)).toMatchObject({ status: { reason: 'Timeout', code: 504 } });
  });

  it.each([
    [404, '404 page not found\n', 'NotFound', '404 page not found'],
    [
      429,
      'Too many requests, please try again later.\n',
      'TooManyRequests',
      'Too many requests, please try again later.',
    ],
    [503, 'service unavailable\n', 'ServiceUnavailable', 'service unavailable'],
    [410, 'gone', 'Gone', 'gone'],
    [
      502,
      '<html><body>Bad Gateway</body></html>',
      'InternalError',
      'the server answered 502 without a Status',
    ],
    [500, '', 'InternalError', 'the server answered 500 without a Status'],
    [500, '{"kind":"Pod","data":"secret"}', 'InternalError', 'the server answered 500 without a Status'],
    [418, 'x'.repeat(300), undefined, 'the server answered 418 without a Status'],
  ])('creates a Status for %d %j', (code, body, reason, message) => {
    expect(refuse(code, body)).toEqual({
      type: 'status',
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        ...(reason !== undefined && { reason }),
        code,
      },
    });
  });

  it('explains that redirects are not followed', () => {
    expect(refuse(307, '')).toMatchObject({
      status: { code: 307, message: expect.stringContaining('not followed') },
    });
  });

  it('reads the retry delay from the header, or else from the details', () => {
    expect(refuse(429, '', '7')).toMatchObject({ retryAfterMs: 7000 });
    expect(refuse(429, '', '0')).toMatchObject({ retryAfterMs: 0 });
    const details = JSON.stringify({ ...STATUS, details: { retryAfterSeconds: 2 } });
    expect(refuse(429, details)).toMatchObject({ retryAfterMs: 2000 });
    expect(refuse(429, details, '3')).toMatchObject({ retryAfterMs: 3000 });
    for (const nonsense of ['soon', '-1', '']) {
      const { retryAfterMs } = refuse(429, '', nonsense) as { retryAfterMs?: number };
      expect(retryAfterMs ?? 0).toBe(0);
    }
    const date = refuse(429, '', new Date(Date.now() + 10_000).toUTCString()) as { retryAfterMs?: number };
    expect(date.retryAfterMs).toBeGreaterThan(8000);
    expect(date.retryAfterMs).toBeLessThanOrEqual(10_000);
  });
});

describe('VERSION', () => {
  it('equals the version of the package', () => {
    const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    expect(VERSION).toBe((JSON.parse(manifest) as { version: string }).version);
  });
});
