/** metadata: the rules for every object. */

import type { KubeObject } from '../control/kube-object.js';
import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  maskTrailingDash,
  pathSegmentProblems,
} from '../formats/name-formats.js';
import { equalJson } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import type { StatusCause } from '../status-error.js';
import { forbiddenValue, invalidValue, invalidValues, requiredValue, tooLong } from './cause.js';

type ValidatedResource = Pick<Resource, 'group' | 'kind' | 'isNamespaced'>;

const MAX_ANNOTATION_BYTES = 262_144;
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];
/** System fields that never change; the server itself preserves creationTimestamp and generation. */
const IMMUTABLE_FIELDS = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

export function validateNewMetadata(resource: ValidatedResource, object: KubeObject): StatusCause[] {
  const metadata = objectAt(object, 'metadata');
  return [...validateName(resource, metadata), ...validateCommon(resource, metadata)];
}

/**
 * Whether a validation error of a resource lists each cause once. Several layers of kube-apiserver check metadata, and only
 * its declarative validation, which custom resources and their definitions do not have, removes the repetitions.
 */
export function hasDistinctCauses(resource: Pick<Resource, 'group' | 'kind'>): boolean {
  return isKubernetesOwn(resource);
}

export function distinctCauses(causes: readonly StatusCause[]): StatusCause[] {
  const keyOf = ({ field, message }: StatusCause): string => `${field}: ${message}`;
  return [...new Map(causes.toReversed().map((cause) => [keyOf(cause), cause])).values()].toReversed();
}

/** With the repetitions that `hasDistinctCauses` describes. */
export function validateMetadataUpdate(
  resource: ValidatedResource,
  object: KubeObject,
  previous: KubeObject,
): StatusCause[] {
  const metadata = objectAt(object, 'metadata');
  const before = objectAt(previous, 'metadata');
  const common = validateCommon(resource, metadata);
  const update = validateChange(metadata, before);
  return [...common, ...update, ...update];
}

export function validateLabels(labels: Json, field: string): StatusCause[] {
  return Object.keys(labels)
    .sort()
    .flatMap((key) => [
      ...invalidValues(field, key, labelKeyProblems(key)),
      ...invalidValues(field, labels[key], labelValueProblems(String(labels[key]))),
    ]);
}

function validateName(resource: ValidatedResource, metadata: Json): StatusCause[] {
  const name = stringAt(metadata, 'name');
  const prefix = stringAt(metadata, 'generateName');
  const causes =
    prefix === ''
      ? []
      : invalidValues('metadata.generateName', prefix, nameProblems(resource, maskTrailingDash(prefix)));
  if (name === '') return [...causes, requiredValue('metadata.name', 'name or generateName is required')];
  return [...causes, ...invalidValues('metadata.name', name, nameProblems(resource, name))];
}

function nameProblems(resource: ValidatedResource, name: string): string[] {
  switch (structOfKind(resource)) {
    case 'Namespace':
    case 'Service':
      return dns1123LabelProblems(name);
    case 'Event':
      return pathSegmentProblems(name);
    default:
      return dns1123SubdomainProblems(name);
  }
}

function validateCommon(resource: ValidatedResource, metadata: Json): StatusCause[] {
  const generation = metadata['generation'];
  const hasNegativeGeneration = typeof generation === 'number' && generation < 0;
  return [
    ...validateNamespace(resource, stringAt(metadata, 'namespace')),
    ...(hasNegativeGeneration
      ? [invalidValue('metadata.generation', generation, 'must be greater than or equal to 0')]
      : []),
    ...validateLabels(objectAt(metadata, 'labels'), 'metadata.labels'),
    ...validateAnnotations(objectAt(metadata, 'annotations')),
    ...validateOwners(itemsAt(metadata, 'ownerReferences')),
    ...validateFinalizers(metadata['finalizers'], isKubernetesOwn(resource)),
  ];
}

function validateNamespace(resource: ValidatedResource, namespace: string): StatusCause[] {
  if (resource.isNamespaced) {
    return invalidValues(
      'metadata.namespace',
      namespace,
      namespace === '' ? [] : dns1123LabelProblems(namespace),
    );
  }
  return namespace === '' ? [] : [forbiddenValue('metadata.namespace', 'not allowed on this type')];
}

/** Unlike those of labels, keys may have upper-case prefixes. */
function validateAnnotations(annotations: Json): StatusCause[] {
  const field = 'metadata.annotations';
  const keys = Object.keys(annotations).sort();
  const bytes = keys.reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key])),
    0,
  );
  return [
    ...keys.flatMap((key) => invalidValues(field, key, labelKeyProblems(key.toLowerCase()))),
    ...(bytes > MAX_ANNOTATION_BYTES ? [tooLong(field, MAX_ANNOTATION_BYTES)] : []),
  ];
}

function validateOwners(owners: readonly Json[]): StatusCause[] {
  const field = 'metadata.ownerReferences';
  const causes = owners.flatMap((owner, index) => {
    const at = `${field}[${index}]`;
    const version = stringAt(owner, 'apiVersion');
    const parts = version.split('/');
    const isEvent =
      stringAt(owner, 'kind') === 'Event' && (version === 'v1' || version === 'events.k8s.io/v1');
    const group = parts.length === 2 ? parts[0] : '';
    return [
      ...(parts.length > 2 || (version !== '' && parts.at(-1) === '')
        ? [invalidValue(`${at}.apiVersion`, version, 'must be <group>/<version> or <version>')]
        : []),
      ...['apiVersion', 'kind', 'name', 'uid']
        .filter((key) => stringAt(owner, key) === '')
        .map((key) => requiredValue(`${at}.${key}`, 'must not be empty')),
      ...(isEvent
        ? [invalidValue(at, owner, `${group}/${parts.at(-1)}, Kind=Event is disallowed from being an owner`)]
        : []),
    ];
  });
  const controllers = owners.filter((owner) => owner['controller'] === true);
  const names = controllers.map((owner) => `${stringAt(owner, 'kind')}/${stringAt(owner, 'name')}`);
  if (controllers.length > 1) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names[0]} and ${names[1]}`;
    causes.push(invalidValue(field, owners, detail));
  }
  return causes;
}

/** Not a custom resource nor the definition of one. Of those, finalizers may lack a domain. */
function isKubernetesOwn(resource: Pick<Resource, 'group' | 'kind'>): boolean {
  const struct = structOfKind(resource);
  return struct !== undefined && !struct.startsWith('apiextensions.');
}

function validateFinalizers(finalizers: unknown, needsDomain: boolean): StatusCause[] {
  const field = 'metadata.finalizers';
  const names = Array.isArray(finalizers) ? finalizers.map(String) : [];
  const hasBoth = names.includes('orphan') && names.includes('foregroundDeletion');
  return [
    ...names.flatMap((name) => invalidValues(field, name, labelKeyProblems(name))),
    ...(hasBoth
      ? [invalidValue(field, names, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
    ...(needsDomain ? names.flatMap((name, index) => validateFinalizerName(name, `${field}[${index}]`)) : []),
  ];
}

/** Also for the finalizers in the spec of a namespace. */
export function validateFinalizerName(name: string, field: string): StatusCause[] {
  if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
  return [invalidValue(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function validateChange(metadata: Json, before: Json): StatusCause[] {
  const old = Array.isArray(before['finalizers']) ? before['finalizers'] : [];
  const current = Array.isArray(metadata['finalizers']) ? metadata['finalizers'] : [];
  const added = current.filter((finalizer) => !old.includes(finalizer));
  const isDeleting = typeof before['deletionTimestamp'] === 'string';
  const goList = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  return [
    ...(isDeleting && added.length > 0
      ? [
          forbiddenValue(
            'metadata.finalizers',
            `no new finalizers can be added if the object is being deleted, found new finalizers ${goList}`,
          ),
        ]
      : []),
    ...IMMUTABLE_FIELDS.filter((key) => !equalJson(metadata[key] ?? null, before[key] ?? null)).map((key) =>
      invalidValue(`metadata.${key}`, metadata[key] ?? null, 'field is immutable'),
    ),
    ...validateLabels(objectAt(metadata, 'labels'), 'metadata.labels'),
    ...validateAnnotations(objectAt(metadata, 'annotations')),
    ...validateOwners(itemsAt(metadata, 'ownerReferences')),
  ];
}

function stringAt(value: Json, key: string): string {
  const member = value[key];
  return typeof member === 'string' ? member : '';
}
