/** What kube-apiserver checks first in a CustomResourceDefinition: names, versions, the root of the schema. */

import type { KubeObject } from '../control.js';
import { quote, type StatusCause } from '../endpoints/status-error.js';
import { encodeJson, equalJson, isRecord } from '../json.js';
import { type Definition, type DefinitionVersion, readDefinition } from './definition.js';
import { initialStatus, isEstablished } from './definition-status.js';

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NOT_A_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const NOT_A_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const COLUMN_TYPES: readonly string[] = ['boolean', 'date', 'integer', 'number', 'string'];
const APPROVAL = 'api-approved.kubernetes.io';

/** Of a definition with its defaults. No causes means that it is valid, as far as is checked here. */
export function validateDefinition(crd: KubeObject): StatusCause[] {
  const definition = readDefinition(crd);
  return [
    ...nameProblems(crd, definition),
    ...specProblems(crd, definition),
    ...storedVersionProblems(initialStatus(crd).storedVersions, definition),
    ...approvalProblems(crd, definition),
  ];
}

/** Of the new state of `old`; it keeps the status of the old one. */
export function validateDefinitionUpdate(crd: KubeObject, old: KubeObject): StatusCause[] {
  const definition = readDefinition(crd);
  const before = readDefinition(old);
  const keptStatus = old['status'];
  const kept = isRecord(keptStatus) ? keptStatus['storedVersions'] : undefined;
  const storage = definition.versions.find(({ isStorage }) => isStorage)?.name;
  const stored: string[] = Array.isArray(kept) ? [...kept] : [];
  if (storage !== undefined && !stored.includes(storage)) stored.push(storage);
  return [
    ...specProblems(crd, definition),
    ...(isEstablished(old)
      ? [
          ...immutable('spec.scope', definition.scope, before.scope),
          ...immutable('spec.names.kind', definition.names.kind, before.names.kind),
        ]
      : []),
    ...immutable('spec.group', definition.group, before.group),
    ...immutable('spec.names.plural', definition.names.plural, before.names.plural),
    ...storedVersionProblems(stored, definition),
  ];
}

function nameProblems(crd: KubeObject, { names, group }: Definition): StatusCause[] {
  const name = crd.metadata?.name ?? '';
  const causes: StatusCause[] = [];
  if (!DNS_SUBDOMAIN.test(name)) causes.push(invalidValue('metadata.name', name, NOT_A_SUBDOMAIN));
  if (name !== `${names.plural}.${group}`) {
    causes.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  return causes;
}

function specProblems(crd: KubeObject, definition: Definition): StatusCause[] {
  return [
    ...groupProblems(definition),
    ...scopeProblems(definition),
    ...definition.versions.flatMap((version, index) =>
      version.schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...versionProblems(crd, definition),
    ...requiredNameProblems(definition),
    ...nameFormProblems(definition),
    ...schemaProblems(definition),
  ];
}

function groupProblems({ group }: Definition): StatusCause[] {
  if (group === '') return [required('spec.group')];
  if (!DNS_SUBDOMAIN.test(group)) return [invalidValue('spec.group', group, NOT_A_SUBDOMAIN)];
  if (group.includes('.')) return [];
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeProblems({ scope }: Definition): StatusCause[] {
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  if (scope === '') return [required('spec.scope')];
  return [
    {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${quote(scope)}: supported values: "Cluster", "Namespaced"`,
      field: 'spec.scope',
    },
  ];
}

function versionProblems(crd: KubeObject, { versions }: Definition): StatusCause[] {
  const causes: StatusCause[] = [];
  versions.forEach((version, index) => {
    const path = `spec.versions[${index}]`;
    if (!DNS_LABEL.test(version.name)) {
      causes.push(invalidValue(`${path}.name`, version.name, NOT_A_LABEL));
    }
    if (!version.isDeprecated && version.deprecationWarning !== undefined) {
      causes.push(
        invalidValue(
          `${path}.deprecationWarning`,
          version.deprecationWarning,
          'can only be set for deprecated versions',
        ),
      );
    }
  });
  const written = asInternalVersions(crd);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    causes.push(invalidText('spec.versions', written, 'must contain unique version names'));
  }
  if (versions.filter(({ isStorage }) => isStorage).length !== 1) {
    causes.push(
      invalidText('spec.versions', written, 'must have exactly one version marked as storage version'),
    );
  }
  return causes;
}

function requiredNameProblems({ names }: Definition): StatusCause[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => names[name] === '')
    .map((name) => required(`spec.names.${name}`));
}

function nameFormProblems({ names }: Definition): StatusCause[] {
  const causes: StatusCause[] = [];
  const check = (field: string, value: string, why = NOT_A_LABEL): void => {
    if (!DNS_LABEL.test(value.toLowerCase()) || (why === NOT_A_LABEL && !DNS_LABEL.test(value))) {
      causes.push(invalidValue(`spec.names.${field}`, value, why));
    }
  };
  const mixedCase = `may have mixed case, but should otherwise match: ${NOT_A_LABEL}`;
  if (names.plural !== '') check('plural', names.plural);
  if (names.singular !== '') check('singular', names.singular);
  if (names.kind !== '') check('kind', names.kind, mixedCase);
  if (names.listKind !== '') check('listKind', names.listKind, mixedCase);
  names.shortNames.forEach((name, index) => {
    check(`shortNames[${index}]`, name);
  });
  if (names.kind !== '' && names.kind === names.listKind) {
    causes.push(invalidValue('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  names.categories.forEach((name, index) => {
    check(`categories[${index}]`, name);
  });
  return causes;
}

function schemaProblems({ versions }: Definition): StatusCause[] {
  return [
    ...perVersion(versions, ({ schema }) => schema).flatMap(({ value, path }) =>
      value === undefined
        ? []
        : rootProblems(value, `${path === undefined ? 'spec.validation' : `${path}.schema`}.openAPIV3Schema`),
    ),
    ...perVersion(versions, ({ columns }) => columns).flatMap(({ value, path }) =>
      value.flatMap((column, index) =>
        columnProblems(column, `${path ?? 'spec'}.additionalPrinterColumns[${index}]`),
      ),
    ),
  ];
}

/** What all versions share is judged once, without a path: kube-apiserver keeps it at the top of its internal spec. */
function perVersion<T>(
  versions: readonly DefinitionVersion[],
  read: (version: DefinitionVersion) => T,
): { value: T; path: string | undefined }[] {
  const values = versions.map((version, index) => ({
    value: read(version),
    path: `spec.versions[${index}]`,
  }));
  const [first, ...more] = values;
  if (first === undefined || !more.every(({ value }) => equalJson(value, first.value))) return values;
  return [{ value: first.value, path: undefined }];
}

function rootProblems(schema: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  const type = schema['type'];
  if (type === undefined || type === '') {
    return [required(`${path}.type`, 'must not be empty at the root')];
  }
  if (type !== 'object') return [invalidValue(`${path}.type`, String(type), 'must be object at the root')];
  return untypedProblems(schema, path);
}

/** A structural schema names the type of every field. */
function untypedProblems(schema: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  const below: [unknown, string, string][] = [
    ...Object.entries(isRecord(schema['properties']) ? schema['properties'] : {}).map(
      ([name, value]): [unknown, string, string] => [
        value,
        `${path}.properties[${name}]`,
        'must not be empty for specified object fields',
      ],
    ),
    [
      schema['additionalProperties'],
      `${path}.additionalProperties`,
      'must not be empty for specified object fields',
    ],
    [schema['items'], `${path}.items`, 'must not be empty for specified array items'],
  ];
  return below.flatMap(([value, at, why]) => {
    if (!isRecord(value)) return [];
    const isTyped =
      (value['type'] ?? '') !== '' ||
      value['x-kubernetes-int-or-string'] === true ||
      value['x-kubernetes-preserve-unknown-fields'] === true;
    return [...(isTyped ? [] : [required(`${at}.type`, why)]), ...untypedProblems(value, at)];
  });
}

function columnProblems(column: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  const { name, type, jsonPath } = column;
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const causes: StatusCause[] = [];
  if ((name ?? '') === '') causes.push(required(`${path}.name`));
  if ((type ?? '') === '') causes.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(String(type))) {
    causes.push(invalidValue(`${path}.type`, String(type), types));
  }
  if ((jsonPath ?? '') === '') causes.push(required(`${path}.JSONPath`));
  else if (!String(jsonPath).startsWith('.')) {
    causes.push(
      invalidValue(`${path}.JSONPath`, String(jsonPath), 'must be a simple json path starting with .'),
    );
  }
  return causes;
}

function storedVersionProblems(stored: readonly string[], { versions }: Definition): StatusCause[] {
  const field = 'status.storedVersions';
  if (stored.length === 0) return [invalidText(field, 'null', 'must have at least one stored version')];
  const storage = versions.filter(({ isStorage, name }) => isStorage && !stored.includes(name));
  return [
    ...storage.map(({ name }) =>
      invalidText(field, encodeJson(stored), `must have the storage version ${name}`),
    ),
    ...stored.flatMap((name, index) =>
      versions.some((version) => version.name === name)
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

function approvalProblems(crd: KubeObject, { group }: Definition): StatusCause[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const approval = crd.metadata?.annotations?.[APPROVAL] ?? '';
  if (approval.startsWith('unapproved') || /^[a-z]+:\/\/[^/]/.test(approval)) return [];
  const rule = `protected groups must have approval annotation ${quote(APPROVAL)}`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const field = `metadata.annotations[${APPROVAL}]`;
  return approval === ''
    ? [required(field, `${rule}, ${see}`)]
    : [
        invalidValue(
          field,
          approval,
          `${rule} with either a URL or a reason starting with "unapproved", ${see}`,
        ),
      ];
}

/** Go shows its internal struct, from which what all versions share has been moved away. */
function asInternalVersions(crd: KubeObject): string {
  const spec = crd['spec'];
  const versions = isRecord(spec) ? spec['versions'] : undefined;
  if (!Array.isArray(versions)) return 'null';
  return encodeJson(
    readDefinition(crd).versions.map((version) => ({
      Name: version.name,
      Served: version.isServed,
      Storage: version.isStorage,
      Deprecated: version.isDeprecated,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: null,
      Subresources: null,
      AdditionalPrinterColumns: null,
      SelectableFields: null,
    })),
  );
}

function immutable(field: string, value: string, before: string): StatusCause[] {
  return value === before ? [] : [invalidValue(field, value, 'field is immutable')];
}

function required(field: string, why = ''): StatusCause {
  const message = why === '' ? 'Required value' : `Required value: ${why}`;
  return { reason: 'FieldValueRequired', message, field };
}

function invalidValue(field: string, value: string, why: string): StatusCause {
  return invalidText(field, quote(value), why);
}

function invalidText(field: string, written: string, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${written}: ${why}`, field };
}
