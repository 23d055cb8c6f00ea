/**
 * Continue tokens as kube-apiserver makes and reads them: base64url without padding of
 *
 *     {"v":"meta.k8s.io/v1","rv":440,"start":"/c1\u0000"}
 */

import { goSyntaxError } from '../go-json-error.js';
import { encodeJson, isRecord, LongInteger, parseJson } from '../json.js';
import { badRequest } from '../status-error.js';

export interface ContinueToken {
  /** The revision of the first page; negative: continue at the latest one. */
  readonly revision: number;
  /**
   * The first key that the next page may contain, relative to the prefix of the list: `ns/name` or `name`, plus a
   * suffix.
   */
  readonly start: string;
}

/** For the inconsistent continuation token in the Status of an expired one. */
export const LATEST_REVISION = -1;

const VERSION = 'meta.k8s.io/v1';
const BASE64URL = /^[A-Za-z0-9_-]$/;

/** The first key after `key`. */
export function startAfter(key: string): string {
  return `${key}\0`;
}

/**
 * The keys in tokens of the watch cache begin with a slash, those in tokens of storage (events, expired tokens)
 * do not.
 */
export function encodeContinue(token: ContinueToken, issuer: 'cache' | 'storage' = 'cache'): string {
  const start = issuer === 'cache' ? `/${token.start}` : token.start;
  return Buffer.from(encodeJson({ v: VERSION, rv: token.revision, start })).toString('base64url');
}

/** Throws the 400 of kube-apiserver for an invalid token. */
export function decodeContinue(token: string): ContinueToken {
  const fields = decodeFields(decodeBase64(token));
  if (fields.v !== VERSION) {
    throw notValid(`server does not recognize this encoded version ${fields.v}`);
  }
  if (fields.rv === 0) throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (fields.start === '') throw notValid(`encoded start key empty (version ${VERSION})`);
  const start = fields.start.replace(/^\//, '');
  const isClean = start === '' || start.split('/').every((part) => !['', '.', '..'].includes(part));
  if (!isClean) throw notValid(`${fields.start}`);
  return { revision: fields.rv, start };
}

function decodeBase64(token: string): Buffer {
  let digits = 0;
  let quantumAt = 0;
  for (let at = 0; at < token.length; at++) {
    const character = token.charAt(at);
    // Go skips line breaks anywhere.
    if (character === '\n' || character === '\r') continue;
    if (!BASE64URL.test(character)) throw illegalBase64(at);
    if (digits++ % 4 === 0) quantumAt = at;
  }
  if (digits % 4 === 1) throw illegalBase64(quantumAt);
  return Buffer.from(token, 'base64url');
}

function decodeFields(bytes: Buffer): { v: string; rv: number; start: string } {
  const syntaxError = goSyntaxError(bytes);
  if (syntaxError !== undefined) throw notValid(`${syntaxError}`);
  const token = parseJson(bytes.toString());
  const fields = { v: '', rv: 0, start: '' };
  if (token === null) return fields;
  if (!isRecord(token)) {
    throw notValid(`json: cannot unmarshal ${goKindOf(token)} into Go value of type storage.continueToken`);
  }
  for (const [key, value] of Object.entries(token)) {
    // Go's field names are case-insensitive.
    const name = key.toLowerCase();
    if (value === null) continue;
    if (name === 'rv') fields.rv = toInt64(value);
    if (name === 'v' || name === 'start') fields[name] = stringField(name, value);
  }
  return fields;
}

function toInt64(value: unknown): number {
  const isNumber = typeof value === 'number' || value instanceof LongInteger;
  const digits = value instanceof LongInteger ? value.digits : String(value);
  if (isNumber && /^-?[0-9]+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)) {
    return Number(digits);
  }
  throw wrongType('rv', isNumber ? `number ${digits}` : goKindOf(value), 'int64');
}

function stringField(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongType(name, goKindOf(value), 'string');
}

function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof LongInteger ? 'number' : typeof value;
}

function wrongType(field: string, found: string, type: string): Error {
  return notValid(
    `json: cannot unmarshal ${found} into Go struct field continueToken.${field} of type ${type}`,
  );
}

function illegalBase64(at: number): Error {
  return notValid(`illegal base64 data at input byte ${at}`);
}

function notValid(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
