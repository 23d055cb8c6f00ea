import { ProtobufError } from '../../src/kube/protobuf-schema/wire-reader.js';
import type { WireError, WireStatus } from '../../src/wire/messages.js';
import { readEnvelope } from '../decode/protobuf/envelope.js';
import { MessageReader } from '../decode/protobuf/message-reader.js';
import type { UnknownFields } from '../decode/protobuf/unknown-fields.js';

/** A response that is not 200. */
export interface ErrorResponse {
  readonly code: number;
  readonly retryAfter: string | undefined;
  /** As much of the body as was read. */
  readonly body: string;
}

const STATUS_DEPTH = 16;

/** The longest plain-text body that is used as a message. Real ones are one line. */
const MAX_MESSAGE_LENGTH = 256;

/** The reasons that apimachinery's NewGenericServerResponse derives from a status code without a Status. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/** The body as text. A Status in protobuf becomes JSON. Throws what `unknownFields` throws. */
export function errorResponseText(body: Uint8Array, unknownFields: UnknownFields): string {
  try {
    const { kind, raw } = readEnvelope(body, unknownFields);
    if (kind === 'Status') {
      const messages = new MessageReader({ maxDepth: STATUS_DEPTH, unknownFields });
      const status = messages.read('meta.v1.Status', raw);
      return JSON.stringify({ kind, apiVersion: 'v1', ...status });
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
  return Buffer.from(body).toString();
}

/**
 * The server's own Status, or a generic one with the body as its message: priority-and-fairness, unknown groups, the
 * aggregator and proxies send plain text.
 */
export function wireErrorOf(response: ErrorResponse): WireError {
  const { body, code } = response;
  const status = parseStatus(body, code) ?? genericStatus(body, code);
  const retryAfterMs = headerMs(response.retryAfter) ?? detailsMs(status);
  return { type: 'status', status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** `kind` is not required: the Status of the 60-second deadline has none, and no JSON content type either. */
function parseStatus(text: string, code: number): WireStatus | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { kind, status, code: own } = value as Record<string, unknown>;
  if (kind !== 'Status' && status !== 'Failure') return undefined;
  return { ...value, code: typeof own === 'number' ? own : code };
}

function genericStatus(text: string, code: number): WireStatus {
  const reason = REASONS.get(code) ?? (code >= 500 ? 'InternalError' : undefined);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: messageOf(text, code),
    ...(reason !== undefined && { reason }),
    code,
  };
}

function messageOf(text: string, code: number): string {
  if (code >= 300 && code < 400) {
    return `the server answered ${code}, a redirect; redirects are not followed, to protect the credentials`;
  }
  // HTML pages of proxies, and anything else that is not meant for a log, are left out.
  const line = text.replace(/[^\P{C}\n]/gu, '').trim();
  const isReadable =
    line !== '' && line.length <= MAX_MESSAGE_LENGTH && !line.startsWith('<') && !line.startsWith('{');
  return isReadable ? line : `the server answered ${code} without a Status`;
}

/** The header has seconds or a date. */
function headerMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

function detailsMs(status: WireStatus): number | undefined {
  const details = status['details'] as { readonly retryAfterSeconds?: unknown } | null | undefined;
  const seconds = details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}
