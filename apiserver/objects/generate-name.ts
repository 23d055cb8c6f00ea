/** Names that the server makes up from `generateName`. */

/** No vowels and no digits that look like letters, so that no words come about. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** What a DNS label has room for. */
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

/** `random` gives numbers from 0 up to but not including 1. */
export function generatedName(prefix: string, random: () => number): string {
  const suffix = Array.from(
    { length: SUFFIX_LENGTH },
    () => ALPHABET[Math.floor(random() * ALPHABET.length)],
  );
  return prefix.slice(0, MAX_PREFIX_LENGTH) + suffix.join('');
}
