/** Names that the server generates from `generateName`. */

/** No vowels and no digits that look like letters, so that no words appear. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** The limit of a DNS label. */
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

/** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
export function generatedName(prefix: string, random: () => number): string {
  const suffix = Array.from(
    { length: SUFFIX_LENGTH },
    () => ALPHABET[Math.floor(random() * ALPHABET.length)],
  );
  return prefix.slice(0, MAX_PREFIX_LENGTH) + suffix.join('');
}
