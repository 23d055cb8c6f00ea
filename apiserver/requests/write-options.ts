import type { IncomingHttpHeaders } from 'node:http';
import type { WriteOptions } from '../registry/object-access.js';
import type { Resource } from '../resources/resource.js';
import { badRequest, invalid, quote, type StatusCause } from '../status-error.js';
import { boolParameter } from './query-parameter.js';
import type { RequestInfo } from './request-info.js';

/** The options of a write request, and the warnings of its response. */
export interface RequestWriteOptions extends WriteOptions {
  /** An apply takes over fields of other managers. */
  readonly isForced: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Collected while the request is decoded; each becomes a header. */
  readonly warnings: string[];
}

export type WriteVerb = 'create' | 'update' | 'patch' | 'apply';

const MAX_MANAGER_LENGTH = 128;
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];
const OPTIONS_KINDS: Readonly<Record<WriteVerb, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  apply: 'PatchOptions',
};

/** Throws a 422 for invalid options. */
export function readWriteOptions(
  {
    info,
    headers,
    resource,
  }: {
    info: Pick<RequestInfo, 'query' | 'subresource'>;
    headers: IncomingHttpHeaders;
    resource: Pick<Resource, 'kind' | 'version'>;
  },
  verb: WriteVerb,
): RequestWriteOptions {
  const { query, subresource } = info;
  const manager = query.get('fieldManager') ?? '';
  const fieldValidation = (query.get('fieldValidation') || 'Warn') as RequestWriteOptions['fieldValidation'];
  const causes = problemsOf(query, verb);
  if (causes.length > 0) throw invalid('meta.k8s.io', OPTIONS_KINDS[verb], '', causes);
  const warnings: string[] = [];
  return {
    manager: manager === '' ? ((headers['user-agent'] ?? '').split('/')[0] ?? '') || 'unknown' : manager,
    isDryRun: query.getAll('dryRun').includes('All'),
    isForced: boolParameter(query, 'force') === true,
    fieldValidation,
    warnings,
    warn: (message) => {
      if (fieldValidation === 'Strict') {
        throw badRequest(
          `${resource.kind} in version ${quote(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${message}`,
        );
      }
      if (fieldValidation === 'Warn') warnings.push(message);
    },
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function problemsOf(query: URLSearchParams, verb: WriteVerb): StatusCause[] {
  const fieldValidation = query.get('fieldValidation') ?? '';
  const manager = query.get('fieldManager') ?? '';
  const causes: StatusCause[] = [];
  if (verb === 'apply' && manager === '') {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value: is required for apply patch',
      field: 'fieldManager',
    });
  }
  if (verb === 'patch' && query.has('force')) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
      field: 'force',
    });
  }
  if (manager.length > MAX_MANAGER_LENGTH) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_MANAGER_LENGTH} bytes`,
      field: 'fieldManager',
    });
  }
  causes.push(...dryRunProblems(query.getAll('dryRun')));
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${quote(fieldValidation)}: supported values: ${FIELD_VALIDATIONS.map(quote).join(', ')}`,
      field: 'fieldValidation',
    });
  }
  return causes;
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
