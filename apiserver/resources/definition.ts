/** A CustomResourceDefinition's spec, read leniently: a missing or wrongly typed value is empty. */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord } from '../json.js';
import type { ScalePaths } from './resource.js';

export interface Definition {
  readonly group: string;
  readonly scope: string;
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly isDeprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly Readonly<Record<string, unknown>>[];
  /** With the leading dot, as in the definition. */
  readonly selectablePaths: readonly string[];
}

export function readDefinition(crd: KubeObject): Definition {
  const spec = recordOf(crd['spec']);
  return {
    group: stringOf(spec['group']),
    scope: stringOf(spec['scope']),
    names: readNames(spec['names']),
    versions: listOf(spec['versions']).filter(isRecord).map(readVersion),
  };
}

export function readNames(value: unknown): DefinitionNames {
  const names = recordOf(value);
  return {
    plural: stringOf(names['plural']),
    singular: stringOf(names['singular']),
    shortNames: listOf(names['shortNames']).map(stringOf),
    kind: stringOf(names['kind']),
    listKind: stringOf(names['listKind']),
    categories: listOf(names['categories']).map(stringOf),
  };
}

function readVersion(version: Record<string, unknown>): DefinitionVersion {
  const schema = recordOf(version['schema'])['openAPIV3Schema'];
  const subresources = recordOf(version['subresources']);
  const warning = version['deprecationWarning'];
  return {
    name: stringOf(version['name']),
    isServed: version['served'] === true,
    isStorage: version['storage'] === true,
    isDeprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    schema: isRecord(schema) ? schema : undefined,
    hasStatus: isRecord(subresources['status']),
    scale: isRecord(subresources['scale']) ? readScale(subresources['scale']) : undefined,
    columns: listOf(version['additionalPrinterColumns']).filter(isRecord),
    selectablePaths: listOf(version['selectableFields']).map((field) =>
      stringOf(recordOf(field)['jsonPath']),
    ),
  };
}

function readScale(scale: Record<string, unknown>): ScalePaths {
  return {
    specReplicas: stringOf(scale['specReplicasPath']),
    statusReplicas: stringOf(scale['statusReplicasPath']),
    selector: stringOf(scale['labelSelectorPath']) || undefined,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
