/** Causes of invalid fields, with the messages of k8s.io/apimachinery/pkg/util/validation/field. */

import { encodeJson } from '../json.js';
import type { StatusCause } from '../status-error.js';

export function requiredValue(field: string, detail = ''): StatusCause {
  return cause('FieldValueRequired', 'Required value', field, detail);
}

export function invalidValue(field: string, value: unknown, detail: string): StatusCause {
  return cause('FieldValueInvalid', `Invalid value: ${shown(value)}`, field, detail);
}

/** One cause for each problem. */
export function invalidValues(field: string, value: unknown, problems: readonly string[]): StatusCause[] {
  return problems.map((problem) => invalidValue(field, value, problem));
}

export function duplicateValue(field: string, value: unknown, detail = ''): StatusCause {
  return cause('FieldValueDuplicate', `Duplicate value: ${shown(value)}`, field, detail);
}

export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const list = supported.map((one) => JSON.stringify(one)).join(', ');
  return cause(
    'FieldValueNotSupported',
    `Unsupported value: ${shown(value)}`,
    field,
    `supported values: ${list}`,
  );
}

export function missingValue(field: string, value: unknown): StatusCause {
  return cause('FieldValueNotFound', `Not found: ${shown(value)}`, field, '');
}

export function forbiddenValue(field: string, detail: string): StatusCause {
  return cause('FieldValueForbidden', 'Forbidden', field, detail);
}

export function tooLong(field: string, maxBytes: number): StatusCause {
  return cause('FieldValueTooLong', 'Too long', field, `may not be more than ${maxBytes} bytes`);
}

/** Empty if the value is supported, otherwise a single cause. */
export function checkSupported(field: string, value: unknown, supported: readonly string[]): StatusCause[] {
  return typeof value === 'string' && supported.includes(value)
    ? []
    : [unsupportedValue(field, value ?? '', supported)];
}

/** Undefined is valid, for optional fields. */
export function checkNotNegative(field: string, value: unknown): StatusCause[] {
  return typeof value === 'number' && value < 0
    ? [invalidValue(field, value, 'must be greater than or equal to 0')]
    : [];
}

export function checkPort(field: string, value: unknown): StatusCause[] {
  const isPort = typeof value === 'number' && value >= 1 && value <= 65_535;
  return isPort ? [] : [invalidValue(field, value ?? 0, 'must be between 1 and 65535, inclusive')];
}

/** Names of ports: IANA service names. */
export function checkPortName(field: string, name: string): StatusCause[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  } else if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen');
  return invalidValues(field, name, problems);
}

function cause(reason: string, message: string, field: string, detail: string): StatusCause {
  return { reason, message: detail === '' ? message : `${message}: ${detail}`, field };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : encodeJson(value ?? null);
}
