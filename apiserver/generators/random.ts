/** Seeded randomness: the same seed gives the same sequence on every machine. */

const WORDS: readonly string[] = [
  ...['account', 'alpha', 'amber', 'anchor', 'api', 'apex', 'auth', 'basket', 'batch', 'beacon', 'billing'],
  ...['bridge', 'broker', 'cache', 'canary', 'catalog', 'cedar', 'checkout', 'cobalt', 'copper', 'core'],
  ...['delta', 'edge', 'ember', 'engine', 'export', 'falcon', 'feed', 'fleet', 'gateway', 'geo', 'graph'],
  ...['harbor', 'index', 'ingest', 'inventory', 'ledger', 'lens', 'lookup', 'mailer', 'matrix', 'media'],
  ...['meter', 'notify', 'order', 'payment', 'pilot', 'portal', 'pricing', 'proxy', 'queue', 'quota'],
  ...['ranking', 'relay', 'report', 'review', 'router', 'search', 'session', 'shipping', 'signal', 'stock'],
  ...['stream', 'tenant', 'tracker', 'vault', 'vector', 'worker'],
];

/** Bijective on 32 bits, so distinct inputs stay distinct. The finalizer of MurmurHash3 (public domain). */
export function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit hash of a list of numbers and strings. */
export function hash32(...inputs: readonly (number | string)[]): number {
  let h = 0x9e3779b9;
  for (const input of inputs) {
    if (typeof input === 'number') {
      h = mix32(h ^ (input | 0));
      h = mix32(h ^ Math.floor(input / 0x1_0000_0000));
    } else {
      for (let k = 0; k < input.length; k++) h = Math.imul(h ^ input.charCodeAt(k), 0x01000193);
      h = mix32(h ^ input.length);
    }
  }
  return h;
}

/** Chris Doty-Humphrey's sfc32 (public domain, PractRand). Each draw advances the sequence. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(...seeds: readonly (number | string)[]) {
    this.#a = hash32(...seeds, 'a');
    this.#b = hash32(...seeds, 'b');
    this.#c = hash32(...seeds, 'c');
    // Twelve rounds make similar seeds diverge, as the author recommends.
    for (let k = 0; k < 12; k++) this.next();
  }

  /** 0 ≤ n < 2^32 */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** 0 ≤ n < bound */
  int(bound: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * bound);
  }

  /** from ≤ n ≤ to */
  between(from: number, to: number): number {
    return from + this.int(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability * 0x1_0000_0000;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.int(choices.length)] as T;
  }

  hex(digits: number): string {
    let hex = '';
    while (hex.length < digits) hex += this.next().toString(16).padStart(8, '0');
    return hex.slice(0, digits);
  }

  /** Standard base64, padding included, of that many random bytes. */
  base64(bytes: number): string {
    const data = Buffer.allocUnsafe(Math.ceil(bytes / 4) * 4);
    for (let at = 0; at < data.length; at += 4) data.writeUInt32LE(this.next(), at);
    return data.toString('base64', 0, bytes);
  }

  /** A random UUID, version 4. */
  uuid(): string {
    const h = this.hex(32);
    const variant = '89ab'[this.int(4)];
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20)}`;
  }

  word(): string {
    return this.pick(WORDS);
  }

  words(count: number, separator: string): string {
    return Array.from({ length: count }, () => this.word()).join(separator);
  }
}
