/** The positions in input and output, and how a document is abandoned. */

/** Abandons the document: throws through the module into JavaScript, which uses the reference decoder instead. */
// @ts-expect-error: a decorator of AssemblyScript
@external('host', 'abandon')
declare function abandonInHost(reason: u32): void;

/** Not JSON, not UTF-8, or nested too deep. The reference decoder rejects it too, with a message. */
export const INVALID: u32 = 1;
/** Not an object of the expected type with a name and a version; or a bookmark or an error. */
export const UNEXPECTED: u32 = 2;
/** Valid, but too rare for a second implementation: see the calls. */
export const RARE: u32 = 3;

/** Bytes are read from here. The document ends with a zero (`seal`), which stops every loop. */
export let p: usize = 0;
/** Bytes are written here. */
export let o: usize = 0;

@inline
export function setInput(address: usize): void {
  p = address;
}

@inline
export function setOutput(address: usize): void {
  o = address;
}

export function abandon(reason: u32): void {
  unseal();
  abandonInHost(reason);
  unreachable();
}

let sealedAt: usize = 0;
let sealedByte: u8 = 0;

/** Writes a zero after the document, which may be followed by others. */
export function seal(end: usize): void {
  sealedAt = end;
  sealedByte = load<u8>(end);
  store<u8>(end, 0);
}

export function unseal(): void {
  if (sealedAt != 0) store<u8>(sealedAt, sealedByte);
  sealedAt = 0;
}

/** The next byte that is not white space, at `p`. */
@inline
export function peek(): u32 {
  const byte: u32 = load<u8>(p);
  return byte > 0x20 ? byte : skipSpace();
}

function skipSpace(): u32 {
  while (true) {
    const byte: u32 = load<u8>(p);
    if (byte == 0x20) {
      // Skips indentation 16 bytes at a time.
      const others = ~i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x20))) | 0x10000;
      p += ctz(others);
    } else if (byte == 0x0a || byte == 0x0d || byte == 0x09) p++;
    else return byte;
  }
}

/** Takes the colon after a key. */
@inline
export function takeColon(): void {
  if (peek() != 0x3a) abandon(INVALID);
  p++;
}
