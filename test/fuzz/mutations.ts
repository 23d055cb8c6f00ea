import type { SeededRandom } from '../support/time/seeded-random.js';

/** Bytes with a meaning in JSON or UTF-8, or at the boundaries of 16-byte vectors. */
const TELLING = Buffer.from(
  '"\\{}[]:,0-9.eEtrufalsn \n\t\r\0\x01\x1f\x7f\x80\xbf\xc0\xc2\xe0\xed\xf0\xf4\xff',
  'latin1',
);

/** A real document with one to four errors, as a connection, a server or an attacker may cause. */
export function mutated(document: Uint8Array, other: Uint8Array, random: SeededRandom): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(document);
  for (let i = random.between(1, 4); i > 0; i--) bytes = mutatedOnce(bytes, other, random);
  return bytes;
}

function mutatedOnce(bytes: Uint8Array, other: Uint8Array, random: SeededRandom): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = random.between(0, bytes.length - 1);
  const end = Math.min(bytes.length, at + random.between(1, random.pick([1, 4, 16, 64, 1024])));
  switch (random.between(0, 6)) {
    case 0:
      bytes[at] = (bytes[at] as number) ^ (1 << random.between(0, 7));
      return bytes;
    case 1:
      bytes[at] = random.pick([...TELLING]);
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(end));
    case 4:
      return joined(bytes.subarray(0, end), bytes.subarray(at));
    case 5: {
      const from = random.between(0, other.length - 1);
      return joined(bytes.subarray(0, at), other.subarray(from, from + (end - at)), bytes.subarray(at));
    }
    default:
      return joined(bytes.subarray(0, at), Uint8Array.of(random.pick([...TELLING])), bytes.subarray(at));
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
