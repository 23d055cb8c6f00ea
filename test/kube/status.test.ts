import { describe, expect, it } from 'vitest';
import {
  isExpired,
  isInternalError,
  isInvalidRequest,
  isStorageReadError,
  isTooLargeResourceVersion,
  isTooManyRequests,
  type Status,
} from '#dist/src/kube/status.js';

const PREDICATES = {
  expired: isExpired,
  tooLarge: isTooLargeResourceVersion,
  tooMany: isTooManyRequests,
  internal: isInternalError,
  invalid: isInvalidRequest,
  storageRead: isStorageReadError,
};

function classesOf(status: Status): string[] {
  return Object.entries(PREDICATES)
    .filter(([, predicate]) => predicate(status))
    .map(([name]) => name);
}

// TestIsErrorTypesByReasonAndCode: the reason decides, the code only if the reason is unknown; 429 always by code.
describe('Status classes', () => {
  it.each<[Status, string[]]>([
    [{ reason: 'Expired', code: 410 }, ['expired']],
    [{ reason: 'Expired' }, ['expired']],
    [{ reason: 'Gone', code: 410 }, ['expired']],
    [{ code: 410 }, ['expired']],
    [{ reason: 'SomethingNew', code: 410 }, ['expired']],
    [{ reason: 'NotFound', code: 410 }, []],
    [{ reason: 'TooManyRequests', code: 429 }, ['tooMany']],
    [{ reason: 'TooManyRequests' }, ['tooMany']],
    [{ code: 429 }, ['tooMany']],
    [{ reason: 'Forbidden', code: 429 }, ['tooMany']],
    [{ reason: 'InternalError', code: 500 }, ['internal']],
    [{ code: 500 }, ['internal']],
    [{ reason: 'SomethingNew', code: 500 }, ['internal']],
    [{ reason: 'ServerTimeout', code: 500 }, []],
    [{ reason: 'StorageReadError', code: 500 }, ['storageRead']],
    [{ reason: 'Invalid', code: 422 }, ['invalid']],
    [{ code: 422 }, ['invalid']],
    [{ reason: 'BadRequest', code: 400 }, ['invalid']],
    [{ code: 503 }, []],
    [{}, []],
  ])('of %j are %j', (status, classes) => {
    expect(classesOf(status)).toEqual(classes);
  });

  // TestReflectorFullListIfTooLarge: three dialects.
  it.each<[string, Status, boolean]>([
    ['since 1.18.6', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }, true],
    [
      '1.17.0 to 1.18.5',
      { reason: 'Timeout', code: 504, details: { causes: [{ message: 'Too large resource version' }] } },
      true,
    ],
    ['before', { reason: 'Timeout', message: 'Too large resource version: 20, current: 10' }, true],
    ['before, without a reason', { code: 504, message: 'Timeout: Too large resource version: 2' }, true],
    ['another timeout', { reason: 'Timeout', code: 504, message: 'request did not complete' }, false],
    [
      'another error with those words',
      { reason: 'BadRequest', message: 'Too large resource version: 2' },
      false,
    ],
    [
      'a cause that only contains the words',
      { reason: 'Timeout', details: { causes: [{ message: 'Too large resource version: 2' }] } },
      false,
    ],
  ])('recognizes a too large version in every form that servers use: %s', (_, status, expected) => {
    expect(isTooLargeResourceVersion(status)).toBe(expected);
  });
});
