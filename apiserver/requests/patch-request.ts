/** The patch in the body of a request, by its media type. */

import type { PatchType } from '../control/control-protocol.js';
import type { KubeObject } from '../control/kube-object.js';
import { encodeJson, sortKeys } from '../json.js';
import { applyPatch, parsePatch, undecodablePatch } from '../patches/patch.js';
import type { WriteOptions } from '../registry/object-access.js';
import type { Resource } from '../resources/resource.js';
import { invalid, quote, StatusError } from '../status-error.js';
import { hasDistinctCauses } from '../validation/metadata-validation.js';
import { type RequestBody, unsupportedMediaType } from './request-body.js';
import { decodeObject } from './request-object.js';

const APPLY = 'apply';
/** In the order in which kube-apiserver lists them. */
const PATCH_TYPES: Readonly<Record<string, PatchType | typeof APPLY>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': APPLY,
};

/** 415 for an unknown patch type, or one that the resource does not support. */
export function patchTypeOf(resource: Resource, { mediaType }: RequestBody): PatchType | typeof APPLY {
  const type = PATCH_TYPES[mediaType];
  if (type === undefined) {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
  }
  if (type !== 'strategic' || !resource.isCustom) return type;
  throw unsupportedMediaType(Object.keys(PATCH_TYPES).filter((name) => PATCH_TYPES[name] !== 'strategic'));
}

/**
 * Returns a function that applies the patch to an object, which must still be of its kind. Invalid JSON is rejected at
 * once, whether or not the object exists.
 */
export function readPatch(
  resource: Resource,
  type: PatchType,
  { bytes }: RequestBody,
  options: WriteOptions,
): (object: KubeObject) => KubeObject {
  const patch = parsePatch(bytes);
  return (object) => decodePatched(resource, applyPatch({ resource, type, object, patch }), options);
}

/** A patch may repeat the uid but not change it. One with another resourceVersion is a conflict before that. */
export function withSameUid(resource: Resource, patched: KubeObject, current: KubeObject): KubeObject {
  const { uid, resourceVersion = '' } = patched.metadata ?? {};
  const isStale = !['', '0', current.metadata?.resourceVersion].includes(resourceVersion);
  if (uid === undefined || uid === current.metadata?.uid || isStale) return patched;
  const cause = {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${quote(String(uid))}: field is immutable`,
    field: 'metadata.uid',
  };
  const causes = hasDistinctCauses(resource) ? [cause] : [cause, cause];
  throw invalid(resource.group, resource.kind, current.metadata?.name ?? '', causes);
}

function decodePatched(resource: Resource, patched: KubeObject, options: WriteOptions): KubeObject {
  if (resource.isCustom) return patched;
  try {
    return decodeObject(resource, patched, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.message.includes('strict decoding error')) throw error;
    throw undecodablePatch(
      encodeJson(sortKeys(patched)),
      error.message.replace(/^.*cannot be handled as a \w+: /, ''),
    );
  }
}
