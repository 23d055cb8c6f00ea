/** The resources that a CustomResourceDefinition declares. */

import type { KubeObject } from '../control/kube-object.js';
import { type Definition, type DefinitionVersion, readDefinition } from './definition.js';
import type { PrinterColumn, Resource } from './resource.js';

/** In the order of the wire, which is not that of built-in kinds. */
const VERBS: readonly string[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/** The column of a version without columns of its own. */
const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  priority: 0,
};

/** One resource per served version of a stored definition, whether it is established or not. */
export function resourcesOf(crd: KubeObject): Resource[] {
  const definition = readDefinition(crd);
  return definition.versions
    .filter(({ isServed }) => isServed)
    .map((version) => resourceOf(definition, version));
}

function resourceOf({ group, scope, names, versions }: Definition, version: DefinitionVersion): Resource {
  return {
    group,
    version: version.name,
    storageVersion: versions.find(({ isStorage }) => isStorage)?.name ?? version.name,
    ...names,
    isNamespaced: scope === 'Namespaced',
    isCustom: true,
    verbs: VERBS,
    hasStatus: version.hasStatus,
    subresources: version.scale === undefined ? [] : ['scale'],
    scale: version.scale,
    selectableFields: Object.fromEntries(
      version.selectablePaths.map((path) => [path.replace(/^\./, ''), path.replace(/^\./, '')]),
    ),
    deleteReturnsObject: false,
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    hasGeneration: true,
    hasWatchCache: true,
    deprecationWarning: version.isDeprecated
      ? (version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`)
      : undefined,
    schema: version.schema,
    columns: version.columns.length === 0 ? [AGE_COLUMN] : version.columns.map(columnOf),
  };
}

function columnOf(column: Readonly<Record<string, unknown>>): PrinterColumn {
  const jsonPath = String(column['jsonPath'] ?? '');
  return {
    name: String(column['name'] ?? ''),
    type: String(column['type'] ?? ''),
    jsonPath,
    description: String(
      column['description'] || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ),
    priority: Number(column['priority'] ?? 0),
  };
}
