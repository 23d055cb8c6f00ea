/** Single realistic objects for tests: plain data, deterministic. */

import type { PopulateSpec } from '../control/populate-spec.js';
import { resolvePopulateSpec } from './populate-spec.js';
import { RenderedSet } from './rendered-set.js';

/** A Kubernetes object as JSON.parse returns it. */
export interface GeneratedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Every object comes from a set of at least this many, so that its name does not depend on other calls. */
const USUAL_COUNT = 100_000;

/**
 * Object `index` of a seeded collection, with kind, apiVersion and the resource version index + 1. A spec instead of
 * the kind's name adjusts size and field mix, and names the apiVersion of a custom kind.
 */
export function generateObject(
  kind: string | Omit<PopulateSpec, 'count' | 'seed'>,
  index: number,
  seed = 1,
): GeneratedObject {
  if (!Number.isSafeInteger(index) || index < 0) {
    throw new RangeError(`index must be a whole number from 0, got ${index}`);
  }
  const spec = typeof kind === 'string' ? { kind } : kind;
  const set = new RenderedSet(
    resolvePopulateSpec({ ...spec, seed, count: Math.max(USUAL_COUNT, index + 1) }),
    1,
  );
  return JSON.parse(set.objectBytes(index, index + 1, 0).toString()) as GeneratedObject;
}
