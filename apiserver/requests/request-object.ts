/** The object in the body of a create or update request, in JSON or protobuf. */

import { protobufMessageOfKind } from '../../src/kube/protobuf-schema/protobuf-kind.js';
import { ProtobufError } from '../../src/kube/protobuf-schema/wire-reader.js';
import type { KubeObject } from '../control/kube-object.js';
import { goSyntaxError } from '../go-json-error.js';
import { duplicateFields, isRecord, parseJson } from '../json.js';
import { decodeTyped } from '../objects/typed-decoding.js';
import { decodeEnvelope } from '../protobuf/decode-envelope.js';
import { decodeMessage } from '../protobuf/decode-message.js';
import type { WriteOptions } from '../registry/object-access.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { badRequest, quote, StatusError } from '../status-error.js';
import { formatOf, type RequestBody, unsupportedMediaType } from './request-body.js';

const SUMMARY_BYTES = 30;
const BRACE = 0x7b;

/** With its type, which must be the resource's. 400 when it cannot be decoded, 415 for an unsupported encoding. */
export function readObject(resource: Resource, body: RequestBody, options: WriteOptions): KubeObject {
  const isJson = formatOf(body) === 'json';
  const object = isJson ? readJson(resource, body.bytes, options) : readProtobuf(resource, body.bytes);
  return decodeObject(resource, object, options);
}

function readJson(resource: Resource, bytes: Buffer, options: WriteOptions): KubeObject {
  const json = bytes.toString();
  const unrecognized = (why: string): StatusError =>
    unrecognizedObject(resource, bytes, `couldn't get version/kind; json parse error: ${why}`);
  let value: unknown;
  try {
    value = parseJson(json);
  } catch {
    throw unrecognized(goSyntaxError(bytes) ?? 'not JSON');
  }
  if (!isRecord(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value;
    throw unrecognized(
      `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const object = value as KubeObject;
  if (resource.isCustom && (object.kind === undefined || object.apiVersion === undefined)) {
    const missing = object.apiVersion === undefined ? 'apiVersion' : 'Kind';
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object '${missing}' is missing in '${json.slice(0, 20)}'`,
    );
  }
  for (const { path } of duplicateFields(json)) options.warn?.(`duplicate field ${quote(path)}`);
  return withType(resource, object);
}

/**
 * kube-apiserver 1.36 panics on protobuf for a custom resource and closes the connection; this server sends a
 * 415.
 */
function readProtobuf(resource: Resource, bytes: Buffer): KubeObject {
  const message = protobufMessageOfKind(apiVersionOf(resource), resource.kind);
  if (message === undefined) throw unsupportedMediaType(['application/json', 'application/yaml']);
  const envelope = withProtobufErrors(
    () => decodeEnvelope(bytes),
    (why) => unrecognizedObject(resource, bytes, why),
  );
  const { apiVersion, kind, raw } = envelope;
  const type = withType(resource, {
    // An invalid apiVersion counts as missing.
    ...(/^[^/]+(\/[^/]*)?$/.test(apiVersion) ? { apiVersion } : {}),
    ...(kind === '' ? {} : { kind }),
  });
  const object = withProtobufErrors(
    () => decodeMessage(message, raw),
    (why) => misfit(resource, why),
  );
  return { ...object, ...type };
}

function withProtobufErrors<T>(read: () => T, toStatus: (why: string) => StatusError): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ProtobufError ? toStatus(error.message) : error;
  }
}

/** Fills in a missing kind and apiVersion. */
function withType(resource: Resource, object: KubeObject): KubeObject {
  const { kind = resource.kind, apiVersion = apiVersionOf(resource) } = object;
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return { ...object, kind, apiVersion };
  const version = apiVersion.split('/').at(-1) ?? apiVersion;
  const why =
    kind === resource.kind
      ? `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${version}.${kind}) to (${goTypeOf(resource)}): unknown conversion`;
  throw badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${resource.kind}: ${why}`);
}

/** The name of the server's internal type. */
function goTypeOf(resource: Resource): string {
  const struct = structOfKind(resource) ?? resource.kind;
  return struct.includes('.') ? struct : `core.${struct}`;
}

/** Drops unknown fields with a warning, and rejects values that do not fit their Go types. */
export function decodeObject(resource: Resource, object: KubeObject, options: WriteOptions): KubeObject {
  if (resource.isCustom) return object;
  try {
    const decoded = decodeTyped(resource, object);
    for (const field of decoded.unknownFields) options.warn?.(`unknown field ${quote(field)}`);
    return decoded.object;
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof Error)) throw error;
    throw misfit(resource, error.message);
  }
}

function misfit({ kind, version }: Resource, why: string): StatusError {
  return badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${why}`);
}

function unrecognizedObject(resource: Resource, bytes: Buffer, why: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summaryOf(bytes)})`,
  );
}

/** The start of the body: as a string if it may be JSON, otherwise in hexadecimal. */
function summaryOf(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, SUMMARY_BYTES).toString(bytes[0] === BRACE ? 'utf8' : 'hex');
  return bytes.length > SUMMARY_BYTES ? `${start} ...` : start;
}
