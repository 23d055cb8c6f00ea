/**
 * `/openapi/v2`, as much of it as kubectl looks for: it decides by the PATCH of a kind whether the server checks fields
 * itself. kubectl reads it as a protobuf `openapi_v2.Document` (gnostic); the fields written here are
 *
 *     Document       1 swagger  2 info { 1 title  2 version }  8 paths { 2 path { 1 name  2 PathItem } }
 *     PathItem       8 patch (Operation)
 *     Operation      8 parameters { 1 parameter { 2 nonBody { 3 query { 2 in  4 name  6 type } } } }
 *                    13 extension { 1 name  2 any { 2 yaml } }
 */

import { apiVersionOf, type Resource } from '../resources/resource.js';

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
const EXTENSION = 'x-kubernetes-group-version-kind';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

export interface OpenApiV2Document {
  readonly body: Buffer;
  readonly contentType: string;
}

export function openApiV2Document(
  resources: readonly Resource[],
  accept: string,
  version: string,
): OpenApiV2Document {
  // Clients use two spellings of this media type.
  const isProtobuf = accept.includes('proto-openapi.spec.v2');
  return isProtobuf
    ? { body: protobufDocument(resources, version), contentType: PROTOBUF_TYPE }
    : {
        body: Buffer.from(JSON.stringify(jsonDocument(resources, version))),
        contentType: 'application/json',
      };
}

function jsonDocument(resources: readonly Resource[], version: string): object {
  const operationOf = (resource: Resource): object => ({
    patch: {
      parameters: PARAMETERS.map((name) => ({ in: 'query', name, type: 'string' })),
      [EXTENSION]: groupVersionKind(resource),
    },
  });
  const paths = resources.map((resource) => [pathOf(resource), operationOf(resource)]);
  return { swagger: '2.0', info: { title: 'Kubernetes', version }, paths: Object.fromEntries(paths) };
}

function protobufDocument(resources: readonly Resource[], version: string): Buffer {
  const parameters = PARAMETERS.map((name) => {
    const query = Buffer.concat([stringField(2, 'query'), stringField(4, name), stringField(6, 'string')]);
    return field(8, field(1, field(2, field(3, query))));
  });
  const paths = resources.map((resource) => {
    const yaml = field(2, stringField(2, JSON.stringify(groupVersionKind(resource))));
    const patch = Buffer.concat([...parameters, field(13, Buffer.concat([stringField(1, EXTENSION), yaml]))]);
    return field(2, Buffer.concat([stringField(1, pathOf(resource)), field(2, field(8, patch))]));
  });
  const info = Buffer.concat([stringField(1, 'Kubernetes'), stringField(2, version)]);
  return Buffer.concat([stringField(1, '2.0'), field(2, info), field(8, Buffer.concat(paths))]);
}

function groupVersionKind({ group, version, kind }: Resource): object {
  return { group, version, kind };
}

function pathOf(resource: Resource): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${apiVersionOf(resource)}`;
  const inside = resource.isNamespaced ? '/namespaces/{namespace}' : '';
  return `${root}${inside}/${resource.plural}/{name}`;
}

/** A length-delimited field. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function stringField(number: number, value: string): Buffer {
  return field(number, Buffer.from(value));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
