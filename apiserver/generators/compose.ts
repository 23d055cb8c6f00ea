/** Brings a draft to the requested size and share of managedFields, and encodes it as JSON with placeholders. */

import type { Draft, DraftBuilder } from './draft.js';
import { goJson, type Json, type JsonObject, type KeyOrder } from './go-json.js';
import { managedFields } from './managed-fields.js';
import { PADDING, unquoteNumbers } from './placeholder.js';
import type { ResolvedPopulateSpec } from './populate-spec.js';
import { Random } from './random.js';
import { renderedBytes } from './template.js';
import type { VariableValues } from './variable-values.js';

export interface Composition {
  /** JSON with placeholders. */
  readonly json: string;
  /** The same with all counters as strings, numeric ones too, so that it can be parsed. */
  readonly quoted: string;
  /** The same as an object, for labels and fields that are read without rendering. */
  readonly object: JsonObject;
}

/** Sizes of a set's templates lie within 10 % of the requested one. */
const SIZE_SPREAD = 0.2;
const GOLDEN_RATIO = 0.618034;
/** Assumed width of a counter when sizes are measured: between a revision's and a restart count's. */
const USUAL_COUNTER_WIDTH = 4;

export function compose(
  build: DraftBuilder,
  spec: ResolvedPopulateSpec,
  ordinal: number,
  values: VariableValues,
): Composition {
  const order: KeyOrder = spec.profile.origin === 'custom' ? 'sorted' : 'declared';
  const random = new Random(spec.seed, spec.apiVersion, spec.kind, ordinal);
  const jsonOf = (json: Json) => unquoteNumbers(goJson(json, order));
  const measure = (json: Json) =>
    renderedBytes(jsonOf(json).replace(PADDING, ''), values, USUAL_COUNTER_WIDTH);
  const share = spec.managedFieldsShare;
  // Multiples of the golden ratio are spread evenly for any number of templates, the first in the middle.
  const place = (0.5 + ordinal * GOLDEN_RATIO) % 1;
  const wanted = Math.round(spec.sizeBytes * (1 - SIZE_SPREAD / 2 + SIZE_SPREAD * place));
  const bytes = Math.round(wanted * (1 - share));
  const draft: Draft = build({
    spec,
    random,
    ordinal,
    bytes,
    missing: (object) => bytes - measure(object),
  });

  const object: JsonObject = withTypeMeta(draft, spec);
  const bare = measure(object);
  const total = Math.max(wanted, Math.round(bare / (1 - share)));
  if (share > 0) {
    const own = Math.round(total * share) - '"managedFields":,'.length;
    draft.object.metadata['managedFields'] = managedFields(
      draft.owners,
      spec.apiVersion,
      own,
      random,
      measure,
    );
  }
  const padding = filler(Math.max(0, total - measure(object)), random);
  const quoted = goJson(object, order).replace(PADDING, padding);
  return { json: unquoteNumbers(quoted), quoted, object };
}

function withTypeMeta(draft: Draft, spec: ResolvedPopulateSpec): JsonObject {
  return spec.profile.origin === 'custom'
    ? { apiVersion: spec.apiVersion, kind: spec.kind, ...draft.object }
    : draft.object;
}

function filler(bytes: number, random: Random): string {
  let padding = '';
  while (padding.length < bytes) padding += `${random.word()}-`;
  return padding.slice(0, bytes).replace(/-$/, 'x');
}
