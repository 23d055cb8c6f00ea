import { type Definition, toDefinitions } from './definitions.js';
import { failBatch, pack, unpack } from './msgpack.js';

const ARRAY32 = 0xdd;
const ARRAY32_BYTES = 5;

const INITIAL_BYTES = 4 * 1024;

/**
 * The definitions of a table, packed one after the other: each is packed once, however many streams send it. Many
 * streams that are opened together each send all of the table.
 */
class PackedDefinitions {
  #bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  /** Where each definition starts, and where the last one ends. */
  readonly #starts: number[] = [0];

  /** The definitions from number `first` on, as parts of a msgpack array. Only borrowed. */
  from(first: number, definitions: readonly Definition[]): readonly [Buffer, Buffer] {
    for (let id = this.#starts.length - 1; id < definitions.length; id++) this.#append(definitions[id] ?? '');
    const head = Buffer.alloc(ARRAY32_BYTES, ARRAY32);
    head.writeUInt32BE(definitions.length - first, 1);
    return [head, this.#bytes.subarray(this.#starts[first], this.#end)];
  }

  get #end(): number {
    return this.#starts.at(-1) ?? 0;
  }

  #append(definition: Definition): void {
    const packed = pack(definition);
    const start = this.#end;
    const end = start + packed.length;
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * end);
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    this.#bytes.set(packed, start);
    this.#starts.push(end);
  }
}

const packedTables = new WeakMap<readonly Definition[], PackedDefinitions>();

/** The definitions of a table from number `first` on, as parts of a msgpack array. Only borrowed. */
export function packDefinitions(
  definitions: readonly Definition[],
  first: number,
): readonly [Buffer, Buffer] {
  let packed = packedTables.get(definitions);
  if (packed === undefined) {
    packed = new PackedDefinitions();
    packedTables.set(definitions, packed);
  }
  return packed.from(first, definitions);
}

/**
 * Reads the msgpack array of `count` definitions from `start` up to `end`, without the first `skipped`, for which no
 * string is created. Throws `KUBEFLECT_BATCH_INVALID` if it is something else.
 */
export function unpackDefinitions(
  bytes: Buffer,
  { start, end, count, skipped }: { start: number; end: number; count: number; skipped: number },
): readonly Definition[] {
  if (skipped === 0) return toDefinitions(unpack(bytes, start, end), count);
  const isArray = end - start >= ARRAY32_BYTES && bytes[start] === ARRAY32;
  if (!isArray || bytes.readUInt32BE(start + 1) !== count) return failBatch('definitions', 'something else');
  let position = start + ARRAY32_BYTES;
  for (let i = 0; i < skipped; i++) position = skipValue(bytes, position, end);
  const rest = Buffer.allocUnsafe(ARRAY32_BYTES + end - position);
  rest[0] = ARRAY32;
  rest.writeUInt32BE(count - skipped, 1);
  bytes.copy(rest, ARRAY32_BYTES, position, end);
  return toDefinitions(unpack(rest, 0, rest.length), count - skipped);
}

/** The end of a string or an array of strings. */
function skipValue(bytes: Buffer, start: number, end: number): number {
  const token = bytes[start] ?? 0;
  const sizeBytes = SIZE_BYTES.get(token) ?? 0;
  let position = start + 1 + sizeBytes;
  if (position > end) return failBatch('a definition', 'the end');
  const size = sizeBytes > 0 ? bytes.readUIntBE(start + 1, sizeBytes) : undefined;
  if (STRING_TOKENS.has(token) || (token & 0xe0) === FIXSTR) position += size ?? token & 0x1f;
  else if (ARRAY_TOKENS.has(token) || (token & 0xf0) === FIXARRAY) {
    for (let i = size ?? token & 0x0f; i > 0; i--) position = skipValue(bytes, position, end);
  } else return failBatch('a definition', 'something else');
  return position <= end ? position : failBatch('a definition', 'the end');
}

const FIXSTR = 0xa0;
const FIXARRAY = 0x90;
const STRING_TOKENS: ReadonlySet<number> = new Set([0xd9, 0xda, 0xdb]);
const ARRAY_TOKENS: ReadonlySet<number> = new Set([0xdc, ARRAY32]);
const SIZE_BYTES: ReadonlyMap<number, number> = new Map([
  [0xd9, 1],
  [0xda, 2],
  [0xdb, 4],
  [0xdc, 2],
  [ARRAY32, 4],
]);
