/** Tables: the server-side printing for kubectl. */

import type { KubeObject } from '../control/kube-object.js';
import {
  COLUMN_DEFINITIONS,
  type ColumnDefinition,
  CREATION_COLUMN,
  NAME_COLUMN,
} from '../printers/column-definitions.js';
import { customCells } from '../printers/custom-cells.js';
import { KIND_CELLS } from '../printers/kind-cells.js';
import { podRowConditions } from '../printers/pod-cells.js';
import { apiVersionOf, type PrinterColumn, type Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { orderCustom, orderTyped } from './field-order.js';
import { type ListMetadata, listMetadata, partialMetadata } from './partial-metadata.js';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions extends ListMetadata {
  readonly includeObject: IncludeObject;
  /** Milliseconds since the epoch; ages count up to it. */
  readonly now: number;
}

type PrintedResource = Pick<Resource, 'group' | 'version' | 'kind' | 'columns'>;

/** The column of a custom resource without columns of its own. */
const DEFAULT_COLUMN: PrinterColumn = {
  name: CREATION_COLUMN.name,
  type: CREATION_COLUMN.type,
  jsonPath: '.metadata.creationTimestamp',
  description: CREATION_COLUMN.description,
  priority: 0,
};

/** For a list, and for a single object with the object's own resourceVersion. */
export function toTable(
  resource: PrintedResource,
  objects: readonly KubeObject[],
  options: TableOptions,
): Record<string, unknown> {
  return tableOf(resource, objects, options, columnsOf(resource));
}

/** For a watch event: one row, and columns only in the first table of the stream. */
export function tableRow(
  resource: PrintedResource,
  object: KubeObject,
  options: Pick<TableOptions, 'includeObject' | 'now'> & { readonly isFirst: boolean },
): Record<string, unknown> {
  const resourceVersion = object.metadata?.resourceVersion ?? '';
  const columns = options.isFirst ? columnsOf(resource) : null;
  return tableOf(resource, [object], { ...options, resourceVersion }, columns);
}

function tableOf(
  resource: PrintedResource,
  objects: readonly KubeObject[],
  options: TableOptions,
  columns: readonly ColumnDefinition[] | null,
): Record<string, unknown> {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMetadata(options),
    columnDefinitions: columns,
    rows: objects.map((object) => rowOf(resource, object, options)),
  };
}

function columnsOf(resource: PrintedResource): readonly ColumnDefinition[] {
  const builtIn = COLUMN_DEFINITIONS[structOfKind(resource) ?? ''];
  if (builtIn !== undefined) return builtIn;
  return [
    NAME_COLUMN,
    ...printerColumns(resource).map(({ name, type, jsonPath, description, priority }) => ({
      name,
      type,
      format: '',
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority,
    })),
  ];
}

function rowOf(
  resource: PrintedResource,
  object: KubeObject,
  { includeObject, now }: Pick<TableOptions, 'includeObject' | 'now'>,
): Record<string, unknown> {
  const struct = structOfKind(resource) ?? '';
  const cells = KIND_CELLS[struct]?.(object, now) ?? [
    object.metadata?.name ?? '',
    ...customCells(object, printerColumns(resource), now),
  ];
  const conditions = struct === 'Pod' ? podRowConditions(object) : undefined;
  return {
    cells,
    ...(conditions === undefined ? {} : { conditions }),
    object: shownObject(resource, object, includeObject),
  };
}

function printerColumns(resource: PrintedResource): readonly PrinterColumn[] {
  return resource.columns.length === 0 ? [DEFAULT_COLUMN] : resource.columns;
}

function shownObject(
  resource: PrintedResource,
  object: KubeObject,
  includeObject: IncludeObject,
): KubeObject | null {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Metadata':
      return partialMetadata(object);
    case 'Object': {
      const whole = { ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) };
      return structOfKind(resource) === undefined ? orderCustom(whole) : orderTyped(resource, whole);
    }
  }
}
