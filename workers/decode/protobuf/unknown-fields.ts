import type { UnknownField } from '../../../src/kube/protobuf-schema/unknown-field.js';
import type { StreamTask } from '../../../src/wire/stream-task.js';
import { unknownFieldFailure } from '../../stream-failure.js';

/** The fields of one stream that the protobuf schema does not have. */
export class UnknownFields {
  readonly #isFailure: boolean;
  #count = 0;
  #first: UnknownField | undefined;

  constructor(onUnknownField: StreamTask['onUnknownField'] = 'count') {
    this.#isFailure = onUnknownField === 'fail';
  }

  /** How many were left out so far. */
  get count(): number {
    return this.#count;
  }

  /** The first one; undefined if there was none. */
  get first(): UnknownField | undefined {
    return this.#first;
  }

  /** Throws a `StreamFailure` if the stream is to fail. */
  add(field: UnknownField): void {
    this.#count++;
    this.#first ??= field;
    if (this.#isFailure) throw unknownFieldFailure(field);
  }

  /** More of them, which the module has left out. */
  addSkipped(count: number): void {
    this.#count += count;
  }
}
