import { isWellFormed } from '../../util/well-formed.js';
import { type Definition, MAX_DEFINITIONS } from './definition.js';

/** A reference has two bytes, so shorter strings gain nothing. Longer ones than the second hardly repeat, and would fill the table. */
const MIN_LENGTH = 3;
const MAX_LENGTH = 256;

/** A string is defined when it was seen in so many objects that this many bytes would have been saved. */
const WORTHWHILE_BYTES = 48;

/** Strings seen but not yet defined. Forgotten all at once when there are more. */
const MAX_CANDIDATES = 16_384;

/** What the defined strings may take, on each side of the door. */
const MAX_CHARACTERS = 256 * 1024;

/** Objects from which all strings are learned; later only every fourth: learning costs more than looking up. */
const LEARNING_OBJECTS = 1024;

interface Candidate {
  objects: number;
  lastObject: number;
}

/**
 * Strings that many objects of a kind share (images, namespaces, reasons, label values), by number. They are three quarters of a pod.
 * Append-only and bounded; whoever owns a full one begins another.
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

  /** To be called before each object: repetition within one object does not make a string frequent. */
  nextObject(): void {
    this.#object++;
    this.#isLearning = (this.#object < LEARNING_OBJECTS || this.#object % 4 === 0) && !this.isFull;
  }

  get isFull(): boolean {
    return this.#definitions.length >= MAX_DEFINITIONS || this.#characters >= MAX_CHARACTERS;
  }

  /** The number of the definition, or undefined if the string travels with the object. */
  id(string: string): number | undefined {
    const length = string.length;
    if (length < MIN_LENGTH || length > MAX_LENGTH) return undefined;
    const id = this.#ids.get(string);
    if (id === undefined && this.#isLearning) this.#learn(string);
    return id;
  }

  /** The reader has the new definition only with the next batch at the latest, so this occurrence could use it; the next one does. */
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
    if (candidate.objects * (string.length - 1) < WORTHWHILE_BYTES || this.isFull) return;
    // Definitions travel as msgpack strings, which are UTF-8: a lone surrogate would be lost.
    if (!isWellFormed(string)) return;
    this.#candidates.delete(string);
    this.#ids.set(string, this.#definitions.push(string) - 1);
    this.#characters += string.length;
  }
}
