/**
 * CustomResourceDefinitions: names, group and versions, and that there is a schema; not all rules of structural
 * schemas.
 */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../formats/name-formats.js';
import { isRecord } from '../json.js';
import type { StatusCause } from '../status-error.js';
import { checkSupported, invalidValue, requiredValue, unsupportedValue } from './cause.js';

const SCOPES = ['Cluster', 'Namespaced'];
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const SCHEMA_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const REQUIRED_NAMES = ['plural', 'singular', 'kind', 'listKind'];
const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_MESSAGE = `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`;
const PRESERVE_MESSAGE =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

export function validateNewDefinition(definition: Json): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const expected = `${objectAt(spec, 'names')['plural'] ?? ''}.${spec['group'] ?? ''}`;
  return [...validateOwnName(definition, expected), ...validateDefinition(definition)];
}

export function validateDefinition(definition: Json): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const versions = itemsAt(spec, 'versions');
  const names = objectAt(spec, 'names');
  return [
    ...validateGroup(String(spec['group'] ?? '')),
    ...(spec['scope'] ? checkSupported('spec.scope', spec['scope'], SCOPES) : [requiredValue('spec.scope')]),
    ...versions.flatMap((version, index) => validateVersion(version, `spec.versions[${index}]`)),
    ...validateVersions(versions, spec['versions']),
    ...REQUIRED_NAMES.filter((key) => !names[key]).map((key) => requiredValue(`spec.names.${key}`)),
    ...validateNames(names),
    ...versions.flatMap((version) => validateSchemaAndColumns(version, versions.length)),
    ...checkSupported('spec.conversion.strategy', objectAt(spec, 'conversion')['strategy'], [
      'None',
      'Webhook',
    ]),
    ...validateStoredVersions(definition, versions),
    ...validateApproval(definition, String(spec['group'] ?? '')),
    ...(spec['preserveUnknownFields'] === true
      ? [invalidValue('spec.preserveUnknownFields', true, PRESERVE_MESSAGE)]
      : []),
  ];
}

export function validateDefinitionUpdate(definition: Json, previous: Json): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const before = objectAt(previous, 'spec');
  const names = objectAt(spec, 'names');
  const namesBefore = objectAt(before, 'names');
  const changed = (field: string, value: unknown, old: unknown): StatusCause[] =>
    value === old ? [] : [invalidValue(field, value ?? '', 'field is immutable')];
  return [
    ...changed('spec.group', spec['group'], before['group']),
    ...changed('spec.scope', spec['scope'], before['scope']),
    ...changed('spec.names.kind', names['kind'], namesBefore['kind']),
    ...changed('spec.names.plural', names['plural'], namesBefore['plural']),
  ];
}

function validateOwnName(definition: Json, expected: string): StatusCause[] {
  const name = objectAt(definition, 'metadata')['name'];
  if (!name || name === expected) return [];
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function validateGroup(group: string): StatusCause[] {
  if (group === '') return [requiredValue('spec.group')];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalidValue('spec.group', group, problems.join(','))];
  return group.includes('.')
    ? []
    : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function validateVersion(version: Json, path: string): StatusCause[] {
  const problems = dns1035LabelProblems(String(version['name'] ?? ''));
  const hasSchema = isRecord(objectAt(version, 'schema')['openAPIV3Schema']);
  return [
    ...(hasSchema ? [] : [requiredValue(`${path}.schema.openAPIV3Schema`)]),
    ...(problems.length === 0
      ? []
      : [invalidValue(`${path}.name`, version['name'] ?? '', problems.join(','))]),
  ];
}

function validateVersions(versions: readonly Json[], list: unknown): StatusCause[] {
  const names = new Set(versions.map((version) => version['name']));
  const stored = versions.filter((version) => version['storage'] === true);
  const shown = Array.isArray(list) ? versions.map(internalVersion) : null;
  const first = String(versions[0]?.['name'] ?? '');
  const problems = first === '' ? [] : dns1035LabelProblems(first);
  return [
    ...(names.size === versions.length
      ? []
      : [invalidValue('spec.versions', shown, 'must contain unique version names')]),
    ...(stored.length === 1
      ? []
      : [invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version')]),
    // The first version is also reported at the path of the former `spec.version`.
    ...(problems.length === 0 ? [] : [invalidValue('spec.version', first, problems.join(','))]),
  ];
}

/** As Go prints its internal struct, which does not contain the schema of a single version. */
function internalVersion(version: Json): Json {
  return {
    Name: version['name'] ?? '',
    Served: version['served'] ?? false,
    Storage: version['storage'] ?? false,
    Deprecated: version['deprecated'] ?? false,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function validateNames(names: Json): StatusCause[] {
  const check = (field: string, name: unknown): StatusCause[] => {
    const problems = name ? dns1035LabelProblems(String(name)) : [];
    return problems.length === 0 ? [] : [invalidValue(`spec.names.${field}`, name, problems.join(','))];
  };
  const checkKind = (field: string): StatusCause[] => {
    const kind = names[field] ? String(names[field]) : '';
    const problems = kind === '' ? [] : dns1035LabelProblems(kind.toLowerCase());
    if (problems.length === 0) return [];
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    return [invalidValue(`spec.names.${field}`, kind, detail)];
  };
  const checkAll = (field: string): StatusCause[] => {
    const list = names[field];
    return Array.isArray(list) ? list.flatMap((name, index) => check(`${field}[${index}]`, name)) : [];
  };
  const isSame = Boolean(names['kind']) && names['kind'] === names['listKind'];
  return [
    ...check('plural', names['plural']),
    ...check('singular', names['singular']),
    ...checkKind('kind'),
    ...checkKind('listKind'),
    ...checkAll('shortNames'),
    ...(isSame
      ? [invalidValue('spec.names.listKind', names['listKind'], 'kind and listKind may not be the same')]
      : []),
    ...checkAll('categories'),
  ];
}

/** A single version is reported at the former top-level paths of its parts. */
function validateSchemaAndColumns(version: Json, count: number): StatusCause[] {
  const root = count === 1 ? 'spec' : `spec.versions[${version['name']}]`;
  const schemaPath = count === 1 ? 'spec.validation.openAPIV3Schema' : `${root}.schema.openAPIV3Schema`;
  const schema = objectAt(version, 'schema')['openAPIV3Schema'];
  const columns = itemsAt(version, 'additionalPrinterColumns');
  return [
    ...(isRecord(schema) ? validateSchema(schema, schemaPath, true) : []),
    ...columns.flatMap((column, index) =>
      validateColumn(column, `${root}.additionalPrinterColumns[${index}]`),
    ),
    ...itemsAt(version, 'selectableFields').flatMap((field, index) =>
      validateSelectable(field['jsonPath'], schema, `${root}.selectableFields[${index}].jsonPath`),
    ),
  ];
}

function validateSchema(schema: Json, path: string, isRoot: boolean): StatusCause[] {
  const type = schema['type'];
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
  const needsType = !type && (isRoot || !isOpen);
  const where = isRoot ? 'at the root' : 'for specified object fields';
  const properties = objectAt(schema, 'properties');
  const isKnown = !type || SCHEMA_TYPES.includes(String(type));
  return [
    ...(type === 'array' && !isRecord(schema['items'])
      ? [requiredValue(`${path}.items`, 'must be specified')]
      : []),
    ...(needsType ? [requiredValue(`${path}.type`, `must not be empty ${where}`)] : []),
    ...(isKnown ? [] : [unsupportedValue(`${path}.type`, type, SCHEMA_TYPES)]),
    ...Object.keys(properties).flatMap((key) =>
      validateSchema(objectAt(properties, key), `${path}.properties[${key}]`, false),
    ),
    ...(isRecord(schema['items']) ? validateSchema(schema['items'], `${path}.items`, false) : []),
  ];
}

function validateSelectable(jsonPath: unknown, schema: unknown, field: string): StatusCause[] {
  const names = String(jsonPath ?? '')
    .split('.')
    .slice(1);
  const found = names.reduce<unknown>(
    (parent, name) => (isRecord(parent) ? objectAt(parent, 'properties')[name] : undefined),
    schema,
  );
  if (isRecord(found)) return [];
  return [invalidValue(field, jsonPath ?? '', 'is an invalid path: does not refer to a valid field')];
}

function validateColumn(column: Json, path: string): StatusCause[] {
  const { name, type, jsonPath } = column;
  const isPath = String(jsonPath ?? '').startsWith('.');
  const isKnown = COLUMN_TYPES.includes(String(type));
  return [
    ...(name ? [] : [requiredValue(`${path}.name`)]),
    ...(type ? [] : [requiredValue(`${path}.type`, `must be one of ${COLUMN_TYPES.join(',')}`)]),
    ...(type && !isKnown
      ? [invalidValue(`${path}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`)]
      : []),
    ...(jsonPath ? [] : [requiredValue(`${path}.JSONPath`)]),
    ...(jsonPath && !isPath
      ? [invalidValue(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .')]
      : []),
  ];
}

function validateStoredVersions(definition: Json, versions: readonly Json[]): StatusCause[] {
  const stored = objectAt(definition, 'status')['storedVersions'];
  const names = Array.isArray(stored) ? stored : [];
  const field = 'status.storedVersions';
  if (names.length === 0) return [invalidValue(field, null, 'must have at least one stored version')];
  const unstored = versions.filter(({ storage, name }) => storage === true && !names.includes(name));
  return [
    ...unstored.map(({ name }) => invalidValue(field, names, `must have the storage version ${name}`)),
    ...names.flatMap((name, index) =>
      versions.some((version) => version['name'] === name)
        ? []
        : [
            invalidValue(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

function validateApproval(definition: Json, group: string): StatusCause[] {
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group);
  const annotation = objectAt(objectAt(definition, 'metadata'), 'annotations')[APPROVAL];
  return isProtected && !annotation
    ? [requiredValue(`metadata.annotations[${APPROVAL}]`, APPROVAL_MESSAGE)]
    : [];
}
