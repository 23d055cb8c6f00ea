import { type Definition, MAX_DEFINITIONS } from './definitions.js';
import { isSafeString } from './msgpack.js';

/**
 * A reference takes two bytes, so shorter strings gain nothing. Longer ones rarely repeat, and would fill the table.
 */
const MIN_LENGTH = 3;
const MAX_LENGTH = 256;

/** A string is defined once a definition would have saved this many bytes in the objects so far. */
const MIN_SAVED_BYTES = 48;

/** Strings that are counted but not defined yet. All are dropped when there are more. */
const MAX_CANDIDATES = 16_384;

/** The total length of the defined strings, which both threads hold. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * All strings of so many objects are counted; then those of every fourth object: counting costs more than looking up.
 */
const LEARNING_OBJECTS = 1024;

interface Candidate {
  objects: number;
  lastObject: number;
}

/**
 * Strings that many objects of a kind share (images, namespaces, reasons, label values), by number. They are three
 * quarters of a pod. Append-only and bounded; the owner of a full table replaces it.
 */
export class StringTable {
  readonly #definitions: Definition[];
  readonly #ids = new Map<string, number>();
  readonly #candidates = new Map<string, Candidate>();
  #object = 0;
  #isLearning = true;
  #characters = 0;

  constructor(definitions: Definition[]) {
    this.#definitions = definitions;
  }

  /** To be called before each object: a string that repeats within one object counts once. */
  nextObject(): void {
    this.#object++;
    this.#isLearning = (this.#object < LEARNING_OBJECTS || this.#object % 4 === 0) && !this.isFull;
  }

  get isFull(): boolean {
    return this.#definitions.length >= MAX_DEFINITIONS || this.#characters >= MAX_CHARACTERS;
  }

  /** The number of the definition, or undefined if the object has to carry the string. */
  id(string: string): number | undefined {
    const length = string.length;
    if (length < MIN_LENGTH || length > MAX_LENGTH) return undefined;
    const id = this.#ids.get(string);
    if (id === undefined && this.#isLearning) this.#learn(string);
    return id;
  }

  /** A new definition is used from the next occurrence on. */
  #learn(string: string): void {
    const candidate = this.#candidates.get(string);
    if (candidate === undefined) {
      if (this.#candidates.size >= MAX_CANDIDATES) this.#candidates.clear();
      this.#candidates.set(string, { objects: 1, lastObject: this.#object });
      return;
    }
    if (candidate.lastObject === this.#object) return;
    candidate.lastObject = this.#object;
    candidate.objects++;
    if (candidate.objects * (string.length - 1) < MIN_SAVED_BYTES || this.isFull) return;
    // Definitions travel as msgpack strings.
    if (!isSafeString(string)) return;
    this.#candidates.delete(string);
    this.#ids.set(string, this.#definitions.push(string) - 1);
    this.#characters += string.length;
  }
}
