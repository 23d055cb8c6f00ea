/** Validates values against an OpenAPI schema, with the messages of k8s.io/kube-openapi's validator. */

import { isIP } from 'node:net';
import { encodeJson, equalJson, isRecord, LongInteger } from '../json.js';
import type { StatusCause } from '../status-error.js';
import { duplicateValue, invalidValue, requiredValue, unsupportedValue } from '../validation/cause.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The missing path of an error about the root value, as Go prints it. */
const NO_PATH = '<nil>';

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) => /^\d{4}-\d\d-\d\dT/i.test(value) && !Number.isNaN(Date.parse(value)),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  ipv4: (value) => isIP(value) === 4,
  ipv6: (value) => isIP(value) === 6,
  byte: (value) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value),
  duration: (value) =>
    /^[+-]?(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h)|\d+\s?(?:days?|weeks?|d|w))+$/.test(value),
  uri: (value) => URL.canParse(value) || /^\/[^%\s]*$/.test(value),
  hostname: (value) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/i.test(value),
};

const INTEGER_LIMITS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

/** `path` is '' for the object itself. */
export function validateValue(value: unknown, schema: unknown, path: string): StatusCause[] {
  if (!isRecord(schema)) return [];
  if (value === null && schema['nullable'] === true) return [];
  return [
    ...validateType(value, schema, path),
    ...validateCombinations(value, schema, path),
    ...(typeof value === 'string' ? validateString(value, schema, path) : []),
    ...(isNumber(value) ? validateNumber(value, schema, path) : []),
    ...(Array.isArray(value) ? validateList(value, schema, path) : []),
    ...validateEnum(value, schema, path),
    ...(isRecord(value) ? validateMembers(value, schema, path) : []),
  ];
}

/** Sets and keyed lists must not contain duplicates; checked last, as kube-apiserver does. */
export function validateListTypes(value: unknown, schema: unknown, path: string): StatusCause[] {
  if (!isRecord(schema)) return [];
  if (Array.isArray(value)) {
    return [
      ...value.flatMap((item, index) => validateListTypes(item, schema['items'], `${path}[${index}]`)),
      ...duplicates(value, schema, path),
    ];
  }
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key) =>
    validateListTypes(value[key], memberSchema(schema, key), path === '' ? key : `${path}.${key}`),
  );
}

function validateType(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const expected = isEither ? 'integer,string' : schema['type'];
  if (typeof expected !== 'string') return [];
  const actual = typeOf(value);
  const fits = expected.split(',').includes(actual) || (expected === 'number' && actual === 'integer');
  if (!fits) {
    const causes = [typeError(path, actual, expected)];
    const isFraction = expected === 'integer' && actual === 'number';
    if (isFraction) causes.push(formatError(path, 'integer (default format)'));
    return causes;
  }
  const format = String(schema['format'] ?? '');
  if (typeof value === 'string' && FORMATS[format]?.(value) === false)
    return [typeError(path, value, format)];
  const limit = INTEGER_LIMITS[format];
  const isBeyond = isNumber(value) && limit !== undefined && Math.abs(Number(numberOf(value))) >= limit;
  return isBeyond ? [formatError(path, `${expected} with format ${format}`)] : [];
}

function typeError(path: string, actual: string, expected: string): StatusCause {
  const shown = JSON.stringify(actual);
  const message = `Invalid value: ${shown}: ${path} in body must be of type ${expected}: ${shown}`;
  return { reason: 'FieldValueTypeInvalid', message, field: path };
}

function formatError(path: string, what: string): StatusCause {
  return invalidValue(NO_PATH, '', `Checked value must be of type ${what} in ${path}`);
}

function validateCombinations(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  const outcomes = (key: string): StatusCause[][] | undefined => {
    const schemas = schema[key];
    return Array.isArray(schemas) ? schemas.map((one) => validateValue(value, one, path)) : undefined;
  };
  const complaint = (message: string): StatusCause => invalidValue(NO_PATH, '', `"${path}" ${message}`);
  const causes: StatusCause[] = [];
  const anyOf = outcomes('anyOf');
  if (anyOf?.every((outcome) => outcome.length > 0)) {
    causes.push(complaint('must validate at least one schema (anyOf)'), ...(anyOf[0] ?? []));
  }
  const oneOf = outcomes('oneOf');
  const valid = oneOf?.filter((outcome) => outcome.length === 0).length ?? 1;
  if (oneOf !== undefined && valid === 0) {
    const message = 'must validate one and only one schema (oneOf). Found none valid';
    causes.push(complaint(message), ...(oneOf[0] ?? []));
  } else if (valid > 1) {
    causes.push(
      complaint(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`),
    );
  }
  const failed = outcomes('allOf')?.flat() ?? [];
  if (failed.length > 0) causes.push(complaint('must validate all the schemas (allOf)'), ...failed);
  const isExcluded = isRecord(schema['not']) && validateValue(value, schema['not'], path).length === 0;
  if (isExcluded) causes.push(complaint('must not validate the schema (not)'));
  return causes;
}

/** Only the first problem of a string is reported. */
function validateString(value: string, schema: JsonSchema, path: string): StatusCause[] {
  const { maxLength, minLength, pattern } = schema;
  const length = [...value].length;
  if (typeof maxLength === 'number' && length > maxLength) {
    const message = `Too long: may not be more than ${maxLength} bytes`;
    return [{ reason: 'FieldValueTooLong', message, field: path }];
  }
  if (typeof minLength === 'number' && length < minLength) {
    return [invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`)];
  }
  if (typeof pattern === 'string' && !matchesPattern(pattern, value)) {
    return [invalidValue(path, value, `${path} in body should match '${pattern}'`)];
  }
  return [];
}

/** Go's pattern syntax, as far as JavaScript supports it; other patterns count as matching. */
function matchesPattern(pattern: string, value: string): boolean {
  const isLoose = pattern.startsWith('(?i)');
  const source = isLoose ? pattern.slice(4) : pattern;
  const flags = isLoose ? 'i' : '';
  // Unicode mode supports `\p{L}`; without it, unnecessary backslashes are no errors.
  for (const mode of [`${flags}u`, flags]) {
    try {
      return new RegExp(source, mode).test(value);
    } catch {}
  }
  return true;
}

function validateNumber(value: number | LongInteger, schema: JsonSchema, path: string): StatusCause[] {
  const { minimum, maximum, multipleOf } = schema;
  const number = numberOf(value);
  const complaint = (message: string): StatusCause =>
    invalidValue(path, value, `${path} in body should be ${message}`);
  const causes: StatusCause[] = [];
  if (typeof multipleOf === 'number' && !Number.isInteger(number / multipleOf)) {
    causes.push(complaint(`a multiple of ${multipleOf}`));
  }
  if (typeof maximum === 'number') {
    const isExclusive = schema['exclusiveMaximum'] === true;
    if (isExclusive && number >= maximum) causes.push(complaint(`less than ${maximum}`));
    else if (number > maximum) causes.push(complaint(`less than or equal to ${maximum}`));
  }
  if (typeof minimum === 'number') {
    const isExclusive = schema['exclusiveMinimum'] === true;
    if (isExclusive && number <= minimum) causes.push(complaint(`greater than ${minimum}`));
    else if (number < minimum) causes.push(complaint(`greater than or equal to ${minimum}`));
  }
  return causes;
}

function validateList(list: readonly unknown[], schema: JsonSchema, path: string): StatusCause[] {
  const { minItems, maxItems } = schema;
  const isShort = typeof minItems === 'number' && list.length < minItems;
  return [
    ...list.flatMap((item, index) => validateValue(item, schema['items'], `${path}[${index}]`)),
    ...(isShort
      ? [invalidValue(path, list.length, `${path} in body should have at least ${minItems} items`)]
      : []),
    ...tooMany(list.length, maxItems, path),
  ];
}

function tooMany(count: number, max: unknown, path: string): StatusCause[] {
  if (typeof max !== 'number' || count <= max) return [];
  const message = `Too many: ${count}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return [{ reason: 'FieldValueTooMany', message, field: path }];
}

function validateEnum(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  const allowed = schema['enum'];
  if (!Array.isArray(allowed) || allowed.some((one) => equalJson(one, value))) return [];
  return [
    unsupportedValue(
      path,
      value,
      allowed.map((one) => (typeof one === 'string' ? one : encodeJson(one))),
    ),
  ];
}

function validateMembers(value: JsonSchema, schema: JsonSchema, path: string): StatusCause[] {
  const count = Object.keys(value).length;
  const { minProperties } = schema;
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const required = [
    ...(Array.isArray(schema['required']) ? schema['required'].map(String) : []),
    ...(schema['x-kubernetes-embedded-resource'] === true ? ['apiVersion', 'kind'] : []),
  ];
  const isSparse = typeof minProperties === 'number' && count < minProperties;
  return [
    ...tooMany(count, schema['maxProperties'], path),
    ...(isSparse
      ? [invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`)]
      : []),
    ...Object.keys(value).flatMap((key) => validateValue(value[key], memberSchema(schema, key), at(key))),
    ...required.filter((key) => !Object.hasOwn(value, key)).map((key) => requiredValue(at(key))),
  ];
}

function duplicates(list: readonly unknown[], schema: JsonSchema, path: string): StatusCause[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'];
  const identity = (item: unknown): unknown => {
    if (type === 'set' || !isRecord(item)) return item;
    const names = Array.isArray(keys) ? keys.map(String) : [];
    return Object.fromEntries(
      names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]),
    );
  };
  const identities = list.map(identity);
  return identities.flatMap((one, index) =>
    identities.findIndex((other) => equalJson(one, other)) < index
      ? [duplicateValue(`${path}[${index}]`, one)]
      : [],
  );
}

function memberSchema(schema: JsonSchema, key: string): unknown {
  const properties = schema['properties'];
  return isRecord(properties) && Object.hasOwn(properties, key)
    ? properties[key]
    : schema['additionalProperties'];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return value instanceof LongInteger || Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}

function isNumber(value: unknown): value is number | LongInteger {
  return typeof value === 'number' || value instanceof LongInteger;
}

function numberOf(value: number | LongInteger): number {
  return typeof value === 'number' ? value : Number(value.digits);
}
