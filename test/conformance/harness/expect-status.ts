/** Compares a complete Status response, byte for byte, with the expected one. */

import { expect } from 'vitest';
import type { ApiResponse } from './client.js';
import { goJson } from './json-text.js';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface ExpectedStatus {
  readonly code: number;
  readonly reason?: string;
  /** A pattern only where the message has a number that the case cannot know. */
  readonly message: string | RegExp;
  readonly details?: StatusDetails;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Fails unless the response is exactly this Failure: code, media type, text, key order and closing newline. */
export function expectStatus(response: ApiResponse, expected: ExpectedStatus): void {
  expect({ status: response.status, text: response.text }).toEqual({
    status: expected.code,
    text: `${statusText(response.text, expected)}\n`,
  });
  expect(response.headers['content-type']).toBe('application/json');
  const { retryAfterSeconds } = expected.details ?? {};
  expect(response.headers['retry-after']).toBe(
    retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds),
  );
}

/** The exact text of a Failure; a message given as a pattern is taken from `actual` once it fits. */
export function statusText(actual: string, expected: ExpectedStatus): string {
  let { message } = expected;
  if (message instanceof RegExp) {
    const found = (JSON.parse(actual) as { message?: unknown }).message;
    expect(found).toMatch(message);
    message = String(found);
  }
  return goJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: expected.metadata ?? {},
    status: 'Failure',
    message,
    reason: expected.reason,
    details: orderedDetails(expected.details),
    code: expected.code,
  });
}

/** A 422 of query options, such as ListOptions: the causes give the message. */
export function invalidOptions(kind: string, causes: readonly Required<StatusCause>[]): ExpectedStatus {
  return invalid(kind, 'meta.k8s.io', '', causes);
}

/** A 422 of an object: the causes give the message. */
export function invalid(
  kind: string,
  group: string,
  name: string,
  causes: readonly Required<StatusCause>[],
): ExpectedStatus {
  const parts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return {
    code: 422,
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${
      parts.length === 1 ? parts[0] : `[${parts.join(', ')}]`
    }`,
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes },
  };
}

/** A server checks the metadata of an update twice: it lists each such cause twice, but its message has it once. */
export function repeated(expected: ExpectedStatus): ExpectedStatus {
  const causes = expected.details?.causes ?? [];
  return { ...expected, details: { ...expected.details, causes: [...causes, ...causes] } };
}

/** Of built-in kinds: as of 1.37, whose declarative validation removes repetitions, each cause is listed once. */
export function repeatedBefore37(minor: number, expected: ExpectedStatus): ExpectedStatus {
  return minor < 37 ? repeated(expected) : expected;
}

export function forbidden(field: string, text: string): Required<StatusCause> {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${text}`, field };
}

function orderedDetails(details: StatusDetails | undefined): StatusDetails | undefined {
  if (details === undefined) return undefined;
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  return {
    name,
    group,
    kind,
    uid,
    causes: causes?.map(({ reason, message, field }) => ({ reason, message, field })),
    retryAfterSeconds,
  } as StatusDetails;
}
