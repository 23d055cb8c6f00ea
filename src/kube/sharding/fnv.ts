const BASIS_HIGH = 0xcbf29ce4;
const BASIS_LOW = 0x84222325;
/** The prime is 2^40 + PRIME_LOW. */
const PRIME_LOW = 0x1b3;
const WORD = 2 ** 32;

/** FNV-1a of 64 bits, by which the API server assigns objects to ranges: of the bytes of a string in UTF-8. */
export function fnv1a64(value: string | Uint8Array): bigint {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  let high = BASIS_HIGH;
  let low = BASIS_LOW;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    // Both products are below 2^53.
    const product = low * PRIME_LOW;
    const shifted = (low << 8) >>> 0;
    low = product % WORD;
    high = (high * PRIME_LOW + shifted + (product - low) / WORD) % WORD;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
