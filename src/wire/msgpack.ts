/**
 * What a batch holds besides payloads, as msgpack written and read by msgpackr: arrays of strings, numbers and bytes.
 * Maps are never used: msgpackr renames the key `__proto__`. docs/decisions/codec.md lists its other hazards, and why
 * payloads have a codec of their own.
 */

// Not from 'msgpackr': that entry would load the native addon, which is not needed for so little.
import { Packr, RESET_BUFFER_MODE } from 'msgpackr/pack';
import { Unpackr } from 'msgpackr/unpack';
import { KubeflectError } from '../util/errors.js';
import { isWellFormed } from '../util/well-formed.js';

/** Strings have to pass `isSafeString`. See `packableString`. */
export type Packable = string | number | Uint8Array | readonly Packable[];

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, int64AsType: 'number' });

/** msgpackr keeps its buffer forever, at several times the largest value: one that was needed once is replaced. */
const MAX_KEPT_BYTES = 256 * 1024;
const INITIAL_BYTES = 8 * 1024;

/** The bytes are only borrowed: they are overwritten by the next call. */
export function pack(value: Packable): Uint8Array {
  const packed = packr.pack(value, RESET_BUFFER_MODE);
  if (packed.buffer.byteLength > MAX_KEPT_BYTES) packr.useBuffer(Buffer.allocUnsafeSlow(INITIAL_BYTES));
  return packed;
}

/** The value in the bytes from `start` up to `end`; throws `KUBEFLECT_BATCH_INVALID` if they are not exactly one. */
export function unpack(bytes: Buffer, start: number, end: number): unknown {
  // A copy: the native reader, if another part of the program has loaded it, must not see shared memory.
  const copy = Buffer.from(bytes.subarray(start, end));
  try {
    return unpackr.unpack(copy);
  } catch {
    // The message of msgpackr may quote what was read.
    return failBatch('msgpack', 'something else');
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Whether a string is the same after `pack` and `unpack`. msgpack has no lone surrogates, and msgpackr reads long strings
 * with a TextDecoder, which drops a byte order mark at the beginning.
 */
export function isSafeString(string: string): boolean {
  return isWellFormed(string) && !string.startsWith(BYTE_ORDER_MARK);
}

/** A string that is not safe becomes bytes: its UTF-16 units, little-endian. */
export function packableString(string: string): string | Uint8Array {
  return isSafeString(string) ? string : Buffer.from(string, 'utf16le');
}

/** The reverse of `packableString`. */
export function unpackedString(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array
    ? Buffer.from(value).toString('utf16le')
    : failBatch('a string', typeof value);
}

export function failBatch(expected: string, received: string): never {
  throw new KubeflectError(
    'KUBEFLECT_BATCH_INVALID',
    `expected ${expected} from a worker, received ${received}; this is a bug in kubeflect`,
  );
}
