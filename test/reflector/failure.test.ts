import { describe, expect, it } from 'vitest';
import { UnknownFieldError } from '#dist/src/kube/protobuf-schema/unknown-field.js';
import { ApiStatusError, statusErrorOf } from '#dist/src/kube/status.js';
import { failureOf, stalled } from '#dist/src/reflector/retry/failure.js';
import { KubeflectError, TransportError, WorkerError } from '#dist/src/util/errors.js';
import { EXPIRED, INTERNAL, INVALID, TOO_LARGE, TOO_MANY } from '../support/servers/scripted-server.js';

const wrap = (cause: unknown) => new KubeflectError('KUBEFLECT_LIST_FAILED', 'failed to list', { cause });
const errno = (code: string) => Object.assign(new Error(code), { code });

describe('failureOf', () => {
  it.each([
    ['expired', new ApiStatusError(EXPIRED)],
    ['too-large', new ApiStatusError(TOO_LARGE)],
    ['too-many-requests', new ApiStatusError(TOO_MANY)],
    ['internal', new ApiStatusError(INTERNAL)],
    ['invalid', new ApiStatusError(INVALID)],
    ['storage-read', new ApiStatusError({ code: 500, reason: 'StorageReadError' })],
    ['denied', new ApiStatusError({ code: 401, reason: 'Unauthorized' })],
    ['denied', new ApiStatusError({ code: 403, reason: 'Forbidden' })],
    ['denied', new ApiStatusError({ code: 404 })],
    ['other', new ApiStatusError({ code: 405, reason: 'MethodNotAllowed' })],
    ['refused', new TransportError('ECONNREFUSED', 'refused')],
    ['cut', new TransportError('ECONNRESET', 'reset')],
    ['cut', new TransportError('EOF', 'unexpected EOF')],
    ['unreachable', new TransportError('ENOTFOUND', 'no such host')],
    ['unanswered', new TransportError('ETIMEDOUT', 'nothing arrived')],
    ['refused', errno('ECONNREFUSED')],
    ['cut', errno('ERR_STREAM_PREMATURE_CLOSE')],
    ['stalled', stalled('silent').error],
    ['lost', new WorkerError('KUBEFLECT_WORKER_LOST', 'gone', { worker: 0 })],
    ['unknown-field', new UnknownFieldError({ number: 9, message: 'core.v1.Pod', path: '' })],
    ['unreachable', new WorkerError('KUBEFLECT_WORKER_START_FAILED', 'no file', { worker: 0 })],
    ['other', new Error('anything')],
    ['other', 'not even an error'],
    ['other', undefined],
  ])('classifies as %s: %s, also when wrapped', (kind, thrown) => {
    expect(failureOf(thrown).kind).toBe(kind);
    expect(failureOf(wrap(wrap(thrown))).kind).toBe(kind);
  });

  it('always returns an Error, the outermost one', () => {
    const outer = wrap(new ApiStatusError(EXPIRED));
    expect(failureOf(outer).error).toBe(outer);
    expect(failureOf('text').error).toBeInstanceOf(Error);
  });

  it('terminates on a circular chain of causes', () => {
    const error = new Error('circle');
    error.cause = error;
    expect(failureOf(error).kind).toBe('other');
  });

  // TestSuggestsClientDelaySupportsWrapping
  it('reads Retry-After from the header, else from the details, also when wrapped', () => {
    const details = { retryAfterSeconds: 7 };
    expect(failureOf(wrap(new ApiStatusError({ ...TOO_MANY, details }))).retryAfterMs).toBe(7000);
    expect(failureOf(new ApiStatusError({ ...TOO_MANY, details }, 2000)).retryAfterMs).toBe(2000);
    expect(failureOf(new ApiStatusError(TOO_MANY)).retryAfterMs).toBeUndefined();
  });

  it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])('ignores a Retry-After of %s', (retryAfterMs) => {
    expect(failureOf(new ApiStatusError(TOO_MANY, retryAfterMs)).retryAfterMs).toBeUndefined();
  });

  // TestStatusCauseSupportsWrappedErrors
  it('finds the status of a wrapped error', () => {
    expect(statusErrorOf(wrap(new ApiStatusError(EXPIRED)))?.status).toEqual(EXPIRED);
    expect(statusErrorOf(new Error('none'))).toBeUndefined();
  });
});
