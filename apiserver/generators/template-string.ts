/** A string with variables, such as a label's value, that is evaluated for one object without rendering it. */

import { splitAtVariables, type VariableName, variableOf } from './placeholder.js';
import type { VariableValues } from './variable-values.js';

export class TemplateString {
  readonly #values: VariableValues;
  /** Literals at even indexes, variables at odd ones. */
  readonly #cuts: readonly string[];
  readonly #variables: readonly VariableName[];
  readonly #parts: number;

  constructor(template: string, values: VariableValues) {
    this.#values = values;
    this.#cuts = splitAtVariables(template);
    this.#variables = this.#cuts.filter((_, k) => k % 2 === 1).map(variableOf);
    this.#parts = values.partsOf(this.#variables);
  }

  /** The value when the object was populated; it must not depend on mutations. */
  at(index: number): string {
    let value = this.#cuts[0] as string;
    if (this.#variables.length === 0) return value;
    this.#values.fill(this.#parts, index, 0);
    for (const [k, name] of this.#variables.entries()) {
      value += this.#values.string(name) + (this.#cuts[2 * k + 2] as string);
    }
    return value;
  }
}
