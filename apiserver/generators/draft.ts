/** Input and output of a kind's builder: one object with placeholders, not yet brought to size. */

import type { JsonObject } from './go-json.js';
import type { FieldOwner } from './managed-fields.js';
import type { ResolvedPopulateSpec } from './populate-spec.js';
import type { Random } from './random.js';

export interface DraftContext {
  readonly spec: ResolvedPopulateSpec;
  readonly random: Random;
  /** Which of the set's templates this is, for content that should differ in a fixed pattern. */
  readonly ordinal: number;
  /** Bytes to aim for, managedFields not counted. */
  readonly bytes: number;
  /** Bytes that this object is too small; negative when it is too large. */
  missing(object: JsonObject): number;
}

export interface Draft {
  /**
   * In the field order of its kind, without kind, apiVersion and managedFields, with `PADDING` in one string that
   * may hold any number of lower-case letters. Nothing that a selector sees may depend on a counter or on `changed`.
   */
  readonly object: JsonObject & { metadata: JsonObject };
  /** At least one. */
  readonly owners: readonly FieldOwner[];
}

export type DraftBuilder = (context: DraftContext) => Draft;
