/** The object in the body of an apply request, whose fields must all have the right type. */

import type { KubeObject } from '../control/kube-object.js';
import { goJsonKind, goSyntaxError } from '../go-json-error.js';
import { duplicateFields, isRecord, parseJson } from '../json.js';
import { ownershipOf } from '../ownership/ownership-schema.js';
import { typeProblems } from '../ownership/type-problems.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { badRequest, quote, StatusError } from '../status-error.js';
import type { RequestBody } from './request-body.js';
import type { RequestWriteOptions } from './write-options.js';

/** Of YAML, only JSON is read: all that kubectl and client libraries send. */
export function readApplied(resource: Resource, { bytes }: RequestBody): KubeObject {
  const applied = parseApplied(bytes);
  const type = printedType(applied);
  if (type !== `${groupVersion(apiVersionOf(resource))}, Kind=${resource.kind}`) {
    throw badRequest(`invalid object type: ${type}`);
  }
  const managedFields = isRecord(applied.metadata) ? applied.metadata['managedFields'] : undefined;
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const problems = typeProblems(applied, ownershipOf(resource));
  if (problems.length > 0) {
    const list = problems.length === 1 ? problems[0] : ['errors:', ...problems].join('\n  ');
    throw new StatusError(
      500,
      undefined,
      `failed to create typed patch object (${describeApplied(applied)}): ${list}`,
    );
  }
  return applied;
}

/** `namespace/name; group/version, Kind=kind`, as in errors of the server itself. */
export function describeApplied(applied: KubeObject): string {
  const { namespace = '', name = '' } = isRecord(applied.metadata) ? applied.metadata : {};
  return `${namespace}/${name}; ${printedType(applied)}`;
}

/** Warnings about duplicate keys; 400 if the client asked for strict validation. */
export function duplicateWarnings(
  { bytes }: RequestBody,
  fieldValidation: RequestWriteOptions['fieldValidation'],
): readonly string[] {
  if (fieldValidation === 'Ignore') return [];
  const json = bytes.toString();
  const lines = duplicateFields(json).map(
    ({ key, line }) => `line ${line}: key ${quote(key)} already set in map`,
  );
  if (fieldValidation === 'Warn' || lines.length === 0) return lines;
  throw badRequest(
    `error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}

function parseApplied(bytes: Buffer): KubeObject {
  if (bytes.toString().trim() === '') return {};
  const problem = goSyntaxError(bytes);
  if (problem !== undefined) {
    throw new StatusError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - the embedded API server reads JSON only, also as application/apply-patch+yaml: ${problem}`,
    );
  }
  const value = parseJson(bytes.toString());
  if (value === null) return {};
  if (isRecord(value)) return value;
  throw badRequest(
    `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonKind(value)} into Go value of type map[string]interface {}`,
  );
}

/** `group/version, Kind=kind`; values that are not strings count as missing. */
export function printedType({ apiVersion, kind }: KubeObject): string {
  const version: unknown = apiVersion;
  return `${groupVersion(typeof version === 'string' ? version : '')}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}
