/** Patches in requests; invalid ones get kube-apiserver's error messages. */

import type { PatchType } from '../control/control-protocol.js';
import type { KubeObject } from '../control/kube-object.js';
import { goJsonKind, goSyntaxError } from '../go-json-error.js';
import { isRecord, parseJson } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { badRequest, quote, StatusError } from '../status-error.js';
import { InapplicablePatchError, jsonPatch } from './json-patch.js';
import { mergePatch } from './merge-patch.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

export interface PatchApplication {
  readonly resource: Pick<Resource, 'group' | 'kind'>;
  readonly type: PatchType;
  /** With kind and apiVersion, as in a GET. */
  readonly object: KubeObject;
  /** The result of `parsePatch`, or plain data. */
  readonly patch: unknown;
}

/** kube-apiserver's own limit. */
const MAX_JSON_PATCH_OPERATIONS = 10_000;

/** Throws a StatusError for invalid JSON. */
export function parsePatch(bytes: Buffer): unknown {
  if (goSyntaxError(bytes) !== undefined) throw badRequest('invalid JSON patch');
  return parseJson(bytes.toString());
}

/** The object with the patch applied, not validated; does not change `object`. Throws a StatusError. */
export function applyPatch({ resource, type, object, patch }: PatchApplication): KubeObject {
  switch (type) {
    case 'json':
      return applyOperations(object, patch);
    case 'merge':
      if (patch === null) throw badRequest('Invalid JSON Patch');
      return mergePatch(object, objectPatch(patch, type));
    case 'strategic': {
      const struct = structOfKind(resource);
      if (struct === undefined) throw badRequest('strategic merge patch format is not supported');
      return strategicMergePatch(object, objectPatch(patch ?? {}, type), struct);
    }
  }
}

/** 422 for a patch whose result is not an object of its kind; `patched` is the JSON that could not be decoded. */
export function undecodablePatch(patched: string, why: string): StatusError {
  const message = `Invalid value: ${quote(patched)}: ${why}`;
  // Without kind and name: kube-apiserver does not report which object is invalid.
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}

function applyOperations(object: KubeObject, patch: unknown): KubeObject {
  const operations = patch === null ? [] : checkedOperations(patch);
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) {
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${operations.length}`,
    );
  }
  try {
    return jsonPatch(object, operations) as KubeObject;
  } catch (error) {
    if (!(error instanceof InapplicablePatchError)) throw error;
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      details: {},
    });
  }
}

function checkedOperations(patch: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(patch)) throw unfit(patch, 'value of type []handlers.jsonPatchOp', 'json');
  for (const operation of patch) {
    if (!isRecord(operation)) throw unfit(operation, 'value of type handlers.jsonPatchOp', 'json');
    for (const field of ['op', 'path', 'from']) {
      const value = operation[field];
      if (value === undefined || value === null || typeof value === 'string') continue;
      throw unfit(value, `struct field jsonPatchOp.${field} of type string`, 'json');
    }
  }
  return patch;
}

function objectPatch(patch: unknown, type: PatchType): Record<string, unknown> {
  if (isRecord(patch)) return patch;
  throw unfit(patch, 'value of type map[string]interface {}', type);
}

function unfit(value: unknown, target: string, type: PatchType): StatusError {
  return badRequest(`${decodingPrefix(type)}json: cannot unmarshal ${goJsonKind(value)} into Go ${target}`);
}

function decodingPrefix(type: PatchType): string {
  return type === 'strategic' ? '' : 'error decoding patch: ';
}
