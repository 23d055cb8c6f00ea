import type { IncomingHttpHeaders } from 'node:http';
import { invalid, quote, type StatusCause } from '../status-error.js';
import { boolParameter } from './query-parameter.js';

export interface QueryWriteOptions {
  /** For managedFields: the parameter, else what stands before the first slash of the User-Agent. */
  readonly manager: string;
  readonly isDryRun: boolean;
  readonly fieldValidation: '' | 'Ignore' | 'Warn' | 'Strict';
}

const LONGEST_MANAGER = 128;
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

export function parseWriteOptions(
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): QueryWriteOptions {
  const dryRun = query.getAll('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const manager = query.get('fieldManager') ?? '';
  const causes: StatusCause[] = [];
  if (kind === 'PatchOptions' && boolParameter(query, 'force') !== undefined) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
      field: 'force',
    });
  }
  if (manager.length > LONGEST_MANAGER) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${LONGEST_MANAGER} bytes`,
      field: 'fieldManager',
    });
  }
  causes.push(...dryRunProblems(dryRun));
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${quote(fieldValidation)}: supported values: ${FIELD_VALIDATIONS.map(quote).join(', ')}`,
      field: 'fieldValidation',
    });
  }
  if (causes.length > 0) throw invalid('meta.k8s.io', kind, '', causes);
  return {
    manager: manager === '' ? ((headers['user-agent'] ?? '').split('/')[0] ?? '') || 'unknown' : manager,
    isDryRun: dryRun.includes('All'),
    fieldValidation: fieldValidation as QueryWriteOptions['fieldValidation'],
  };
}

export function dryRunProblems(dryRun: readonly string[]): StatusCause[] {
  if (dryRun.every((value) => value === 'All')) return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
      field: 'dryRun',
    },
  ];
}
