/**
 * Index ↔ key. Keys of one set have the same length, and their ordinals come before anything random, so that the byte
 * order of keys is the order of indexes:
 *
 *   ns-00003/app-00012-7d9f8c6b5-x2x4z      ns-00003/config-00012      node-00012
 *      ~~~~~     ~~~~~           ~          the ordinals of namespace, group and member; hashes follow them
 */

import type { NameForm } from './kind-profile.js';
import type { ResolvedPopulateSpec } from './populate-spec.js';
import { hash32, mix32 } from './random.js';

/** The alphabet of generated Kubernetes name suffixes, in byte order: 7 digits, then 20 letters. */
const SUFFIX_ALPHABET = '2456789bcdfghjklmnpqrstvwxz';
const SUFFIX_CODES: Uint8Array = Buffer.from(SUFFIX_ALPHABET, 'latin1');
const SUFFIX_LETTERS = 7;

/** Pods per replica set: each has two of the 20 letters for the first character of its suffix. */
const MEMBERS = 10;

const HASH_WIDTH = 9;
const SUFFIX_WIDTH = 5;
const STAMP_WIDTH = 16;
const HEX_CODES: Uint8Array = Buffer.from('0123456789abcdef', 'latin1');

/**
 * Names in different sets match (a pod's namespace, node, replica set) as long as this many digits suffice for
 * both.
 */
const MIN_DIGITS = 5;

export class NameLayout {
  /** Bytes of `namespace/name`, or of `name` without namespaces. */
  readonly keyWidth: number;
  /** Where in the key the namespace ends; 0 without namespaces. */
  readonly namespaceEnd: number;
  readonly nameStart: number;
  /** Where `prefix-00012` ends. */
  readonly appEnd: number;
  /** Where the hash ends; equal to `appEnd` for forms without one. */
  readonly ownerEnd: number;

  /** Set by `locate`: the namespace, the group in it, and the member of the group. */
  namespace = 0;
  group = 0;
  member = 0;

  readonly #count: number;
  readonly #namespaces: number;
  /** The first `#larger` namespaces hold `#perNamespace + 1` objects, the others `#perNamespace`. */
  readonly #perNamespace: number;
  readonly #larger: number;
  readonly #members: number;
  readonly #form: NameForm;
  readonly #salt: number;
  readonly #literal: Buffer;
  readonly #namespaceDigits: number;
  readonly #digits: number;

  constructor(spec: ResolvedPopulateSpec) {
    const { profile } = spec;
    this.#count = spec.count;
    this.#form = profile.nameForm;
    this.#members = this.#form === 'member' ? MEMBERS : 1;
    // Without the kind: replica sets and their pods have the same hash.
    this.#salt = hash32(spec.seed, spec.namePrefix);
    this.#namespaces = Math.max(1, spec.namespaces);
    this.#perNamespace = Math.floor(spec.count / this.#namespaces);
    this.#larger = spec.count % this.#namespaces;

    const home = spec.namespaces === 1 ? profile.homeNamespace : undefined;
    this.#namespaceDigits = spec.namespaces === 0 || home !== undefined ? 0 : ordinalDigits(this.#namespaces);
    const namespace = spec.namespaces === 0 ? '' : (home ?? namespaceName(0, this.#namespaceDigits));
    const groups = Math.ceil((this.#perNamespace + 1) / this.#members);
    this.#digits = ordinalDigits(groups);

    const app = `${spec.namePrefix}-${'0'.repeat(this.#digits)}`;
    this.namespaceEnd = namespace.length;
    this.nameStart = namespace === '' ? 0 : namespace.length + 1;
    this.appEnd = this.nameStart + app.length;
    this.ownerEnd = this.appEnd + (this.#form === 'hashed' || this.#form === 'member' ? 1 + HASH_WIDTH : 0);
    const tail = this.#form === 'member' ? 1 + SUFFIX_WIDTH : this.#form === 'stamped' ? 1 + STAMP_WIDTH : 0;
    this.keyWidth = this.ownerEnd + tail;
    const separator = namespace === '' ? '' : '/';
    this.#literal = Buffer.from(`${namespace}${separator}${app}`.padEnd(this.keyWidth, '-'), 'latin1');
    if (this.#form === 'stamped') this.#literal.write('.', this.appEnd, 'latin1');
  }

  /** Sets `namespace`, `group` and `member`. */
  locate(index: number): void {
    const inLarger = this.#larger * (this.#perNamespace + 1);
    let local: number;
    if (index < inLarger) {
      this.namespace = Math.floor(index / (this.#perNamespace + 1));
      local = index - this.namespace * (this.#perNamespace + 1);
    } else {
      this.namespace = this.#larger + Math.floor((index - inLarger) / this.#perNamespace);
      local = index - inLarger - (this.namespace - this.#larger) * this.#perNamespace;
    }
    this.group = Math.floor(local / this.#members);
    this.member = local - this.group * this.#members;
  }

  /** Writes the constant parts; `writeKey` leaves them unchanged. */
  writeLiterals(target: Buffer, at: number): void {
    target.set(this.#literal, at);
  }

  /** Writes the variable parts of the located object over the literals. */
  writeKey(target: Buffer, at: number): void {
    if (this.#namespaceDigits > 0) {
      writeDigits(target, at + this.namespaceEnd, this.#namespaceDigits, this.namespace);
    }
    writeDigits(target, at + this.appEnd, this.#digits, this.group);
    if (this.#form === 'plain') return;
    const hash = this.groupHash();
    if (this.#form === 'stamped') {
      this.#writeStamp(target, at + this.appEnd + 1, hash);
      return;
    }
    this.#writeSuffix(target, at + this.appEnd + 1, HASH_WIDTH, hash);
    if (this.#form === 'hashed') return;
    const own = mix32(hash + 1 + this.member);
    target[at + this.ownerEnd + 1] = SUFFIX_CODES[SUFFIX_LETTERS + 2 * this.member + (own & 1)] as number;
    this.#writeSuffix(target, at + this.ownerEnd + 2, SUFFIX_WIDTH - 1, own >>> 1);
  }

  /** The same for all members of the located group. */
  groupHash(): number {
    return mix32(mix32(this.#salt ^ this.namespace) ^ this.group);
  }

  /**
   * The only index that could have this key; -1 when none could. Digits are trusted and hashes ignored: compare
   * with the key of that index.
   */
  candidate(key: string): number {
    if (key.length !== this.keyWidth) return -1;
    const namespace = readDigits(key, this.namespaceEnd - this.#namespaceDigits, this.namespaceEnd);
    const group = readDigits(key, this.appEnd - this.#digits, this.appEnd);
    if (namespace < 0 || group < 0 || namespace >= this.#namespaces) return -1;
    let member = 0;
    if (this.#form === 'member') {
      member = (SUFFIX_ALPHABET.indexOf(key.charAt(this.ownerEnd + 1)) - SUFFIX_LETTERS) >> 1;
      if (member < 0) return -1;
    }
    const local = group * this.#members + member;
    if (local >= this.#perNamespace + (namespace < this.#larger ? 1 : 0)) return -1;
    const index = namespace * this.#perNamespace + Math.min(namespace, this.#larger) + local;
    return index < this.#count ? index : -1;
  }

  #writeStamp(target: Buffer, at: number, hash: number): void {
    let h = hash;
    for (let k = 0; k < STAMP_WIDTH; k++) {
      if (k === 8) h = mix32(hash + 1);
      target[at + k] = HEX_CODES[h & 15] as number;
      h >>>= 4;
    }
  }

  #writeSuffix(target: Buffer, at: number, width: number, hash: number): void {
    let h = hash;
    for (let k = 0; k < width; k++) {
      // 27^6 is the largest power below 2^32: after six symbols the hash is used up.
      if (k === 6) h = mix32(hash + 0x27d4eb2f);
      const rest = Math.floor(h / 27);
      target[at + k] = SUFFIX_CODES[h - rest * 27] as number;
      h = rest;
    }
  }
}

/** Digits in a node's name, in pods that refer to it and in a set of that many Nodes. */
export function nodeDigits(nodes: number): number {
  return ordinalDigits(nodes);
}

/** Writes a number with leading zeros so that it ends before `end`. */
export function writeDigits(target: Buffer, end: number, width: number, value: number): void {
  let rest = value;
  for (let at = end - 1; at >= end - width; at--) {
    const next = Math.floor(rest / 10);
    target[at] = 48 + (rest - next * 10);
    rest = next;
  }
}

function ordinalDigits(ordinals: number): number {
  return Math.max(MIN_DIGITS, String(Math.max(0, ordinals - 1)).length);
}

function namespaceName(ordinal: number, digits: number): string {
  return `ns-${String(ordinal).padStart(digits, '0')}`;
}

function readDigits(key: string, from: number, to: number): number {
  let value = 0;
  for (let k = from; k < to; k++) {
    const digit = key.charCodeAt(k) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}
