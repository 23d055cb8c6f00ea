import { parsePath } from '../../src/kube/path.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import { type ObjectType, PARTIAL_METADATA } from './check-type.js';
import type { PlaceAddress, PlanAddress, Transcoder } from './transcoder.js';

/** Paths that are captured, by the numbers of workers/transcoder/plan.ts. */
const CAPTURED: readonly (readonly [number, readonly string[]])[] = [
  [1, ['kind']],
  [2, ['apiVersion']],
  [3, ['metadata', 'namespace']],
  [4, ['metadata', 'name']],
  [5, ['metadata', 'uid']],
  [6, ['metadata', 'resourceVersion']],
  [7, ['metadata']],
];

/** Index values are found by the bits of a word. */
const MAX_INDEXES = 32;

/** For the offsets of how many nested records the module has room. */
const MAX_DEPTH = 1000;

/** Keys are compared as they stand in JSON: names that would be escaped there are not for the module. */
const PLAIN_NAME = /^[ !#-[\]-~]+$/;

/**
 * What the module is to look for in the objects of a stream. Undefined if there is something it cannot do: then the reference decoder does
 * all of it.
 */
export function openPlan(
  transcoder: Transcoder,
  decoding: DecodingOptions,
  depth: number,
): PlanAddress | undefined {
  const { exports } = transcoder;
  const drop = decoding.drop.map(parsePath);
  const indexes = decoding.indexPaths.map(parsePath);
  if (depth > MAX_DEPTH) return undefined;
  if (indexes.length > MAX_INDEXES || ![...drop, ...indexes].flat().every(isPlain)) return undefined;
  if (drop.some(isCaptured) || indexes.some(isOfType)) return undefined;
  const plan = exports.newPlan(depth, indexes.length);
  const root = exports.planRoot(plan);
  let isFull = !writeType(transcoder, plan, decoding);
  const placeAt = (path: readonly string[]): PlaceAddress => {
    let place = root;
    for (const name of path) {
      const next = exports.planPlace(plan, place, transcoder.documentAddress, transcoder.write(name));
      if (next === 0) isFull = true;
      else place = next;
    }
    return place;
  };
  for (const [number, path] of CAPTURED) exports.planCapture(placeAt(path), number);
  for (const path of drop) exports.planDrop(placeAt(path));
  for (const [index, path] of indexes.entries()) exports.planIndex(placeAt(path), index);
  if (!isFull) return plan;
  exports.freePlan(plan);
  return undefined;
}

function writeType(transcoder: Transcoder, plan: PlanAddress, decoding: DecodingOptions): boolean {
  const { exports } = transcoder;
  const isWritten = withTexts(transcoder, decoding, (...texts) => exports.planType(plan, ...texts));
  if (decoding.form === 'object') return isWritten;
  return (
    withTexts(transcoder, PARTIAL_METADATA, (...texts) => exports.planPartial(plan, ...texts)) && isWritten
  );
}

function withTexts(
  transcoder: Transcoder,
  { kind, apiVersion }: ObjectType,
  use: (kind: number, kindLength: number, apiVersion: number, apiVersionLength: number) => number,
): boolean {
  const address = transcoder.documentAddress;
  const kindLength = transcoder.write(kind, address);
  const apiVersionLength = transcoder.write(apiVersion, address + kindLength);
  return use(address, kindLength, address + kindLength, apiVersionLength) === 1;
}

/** True of a path without which it cannot be told what an object is. */
export function isCaptured(path: readonly string[]): boolean {
  return CAPTURED.some(([, captured]) => isWithin(captured, path));
}

/** True of what stands in JSON as it is. */
export function isPlain(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Of an object's type, which payloads say and documents do not: items have none, and metadata alone has another. */
function isOfType(path: readonly string[]): boolean {
  return path.length === 1 && (path[0] === 'kind' || path[0] === 'apiVersion');
}

function isWithin(path: readonly string[], ancestor: readonly string[]): boolean {
  return ancestor.every((name, i) => path[i] === name);
}
