/** A short text with holes (a label's value, say), read for one object without rendering it. */

import { cutAtHoles, type HoleName, holeOf } from './hole.js';
import type { HoleValues } from './hole-values.js';

export class HoleText {
  readonly #values: HoleValues;
  /** Literals at even places, holes at odd ones. */
  readonly #cuts: readonly string[];
  readonly #holes: readonly HoleName[];
  readonly #parts: number;

  constructor(text: string, values: HoleValues) {
    this.#values = values;
    this.#cuts = cutAtHoles(text);
    this.#holes = this.#cuts.filter((_, k) => k % 2 === 1).map(holeOf);
    this.#parts = values.partsOf(this.#holes);
  }

  /** As populated: what mutations change is not to be read here. */
  at(index: number): string {
    let text = this.#cuts[0] as string;
    if (this.#holes.length === 0) return text;
    this.#values.fill(this.#parts, index, 0);
    for (const [k, name] of this.#holes.entries()) {
      text += this.#values.text(name) + (this.#cuts[2 * k + 2] as string);
    }
    return text;
  }
}
