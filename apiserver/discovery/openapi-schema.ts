/** Schemas of OpenAPI documents: the real one of a custom resource, an outline for a built-in kind. */

import { isRecord } from '../json.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';

const API_CONVENTIONS =
  'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

const API_VERSION: object = {
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. ${API_CONVENTIONS}#resources`,
  type: 'string',
};

const KIND: object = {
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. ${API_CONVENTIONS}#types-kinds`,
  type: 'string',
};

const METADATA: object = {
  description: `Standard object's metadata. ${API_CONVENTIONS}#metadata`,
  allOf: [referenceTo(OBJECT_META)],
};

const STRING: object = { type: 'string' };
const TIME: object = { type: 'string', format: 'date-time' };
const STRING_MAP: object = { type: 'object', additionalProperties: STRING };
const ANYTHING: object = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The Go packages of built-in groups, after which their schemas are named. */
const PACKAGES: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  apps: 'io.k8s.api.apps',
  batch: 'io.k8s.api.batch',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'coordination.k8s.io': 'io.k8s.api.coordination',
  'discovery.k8s.io': 'io.k8s.api.discovery',
};

/** The schemas that those of every document refer to. */
export const META_SCHEMAS: Readonly<Record<string, object>> = {
  [LIST_META]: {
    description: 'ListMeta describes metadata that synthetic resources must have.',
    type: 'object',
    properties: {
      continue: STRING,
      remainingItemCount: { type: 'integer', format: 'int64' },
      resourceVersion: STRING,
      selfLink: STRING,
    },
  },
  [OBJECT_META]: {
    description: 'ObjectMeta is metadata that all persisted resources must have.',
    type: 'object',
    properties: {
      annotations: STRING_MAP,
      creationTimestamp: TIME,
      deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
      deletionTimestamp: TIME,
      finalizers: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
      generateName: STRING,
      generation: { type: 'integer', format: 'int64' },
      labels: STRING_MAP,
      managedFields: { type: 'array', items: ANYTHING, 'x-kubernetes-list-type': 'atomic' },
      name: STRING,
      namespace: STRING,
      ownerReferences: { type: 'array', items: ANYTHING },
      resourceVersion: STRING,
      selfLink: STRING,
      uid: STRING,
    },
  },
};

/** `io.k8s.api.core.v1.Pod`; of a custom resource the group backwards: `dev.kubeflect.v1.Widget`. */
export function schemaName(resource: Resource, kind: string = resource.kind): string {
  const prefix = PACKAGES[resource.group] ?? resource.group.split('.').reverse().join('.');
  return `${prefix}.${resource.version}.${kind}`;
}

export function referenceTo(schema: string): object {
  return { $ref: `#/components/schemas/${schema}` };
}

/** The object and its list, by schema name. */
export function schemasOf(resource: Resource): Record<string, object> {
  return {
    [schemaName(resource)]: objectSchema(resource),
    [schemaName(resource, resource.listKind)]: {
      description: `${resource.listKind} is a list of ${resource.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: API_VERSION,
        items: { type: 'array', items: { allOf: [referenceTo(schemaName(resource))] } },
        kind: KIND,
        metadata: { description: 'Standard list metadata.', allOf: [referenceTo(LIST_META)] },
      },
      'x-kubernetes-group-version-kind': [groupVersionKind(resource, resource.listKind)],
    },
  };
}

export function groupVersionKind(resource: Resource, kind: string = resource.kind): object {
  return { group: resource.group, kind, version: resource.version };
}

function objectSchema(resource: Resource): object {
  const identity = { apiVersion: API_VERSION, kind: KIND, metadata: METADATA };
  const kinds = { 'x-kubernetes-group-version-kind': [groupVersionKind(resource)] };
  const { schema } = resource;
  if (schema !== undefined) {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    return { ...schema, properties: { ...properties, ...identity }, ...kinds };
  }
  return {
    description: `${resource.kind} of ${apiVersionOf(resource)}. This server does not describe its fields.`,
    type: 'object',
    properties: { ...identity, ...(resource.hasStatus ? { spec: ANYTHING, status: ANYTHING } : {}) },
    ...kinds,
    'x-kubernetes-preserve-unknown-fields': true,
  };
}
