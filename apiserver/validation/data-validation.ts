/** ConfigMaps and Secrets. */

import { type Json, objectAt } from '../defaults/json-fields.js';
import { dataKeyProblems } from '../formats/name-formats.js';
import { goSyntaxError } from '../go-json-error.js';
import { equalJson } from '../json.js';
import type { StatusCause } from '../status-error.js';
import { forbiddenValue, invalidValue, invalidValues, requiredValue, tooLong } from './cause.js';

/** The limit of etcd, with a margin for the rest of the object. */
const MAX_DATA_BYTES = 1_048_576;
const IMMUTABLE_MESSAGE = 'field is immutable when `immutable` is set';

/** The required keys of each type of secret. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export function validateConfigMap(configMap: Json): StatusCause[] {
  const data = objectAt(configMap, 'data');
  const binaryData = objectAt(configMap, 'binaryData');
  const bytes = Object.values(data).reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);
  return [
    ...sortedKeys(data).flatMap((key) => [
      ...invalidValues(`data[${key}]`, key, dataKeyProblems(key)),
      ...(Object.hasOwn(binaryData, key)
        ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...sortedKeys(binaryData).flatMap((key) =>
      invalidValues(`binaryData[${key}]`, key, dataKeyProblems(key)),
    ),
    // The empty path prints as "[]".
    ...(bytes + decodedBytes(binaryData) > MAX_DATA_BYTES ? [tooLong('[]', MAX_DATA_BYTES)] : []),
  ];
}

export function validateSecret(secret: Json): StatusCause[] {
  const data = objectAt(secret, 'data');
  return [
    ...sortedKeys(data).flatMap((key) => invalidValues(`data[${key}]`, key, dataKeyProblems(key))),
    ...(decodedBytes(data) > MAX_DATA_BYTES ? [tooLong('data', MAX_DATA_BYTES)] : []),
    ...validateSecretType(secret, data),
  ];
}

/** `immutable` cannot be unset, and protects the data. */
export function validateImmutableData(object: Json, previous: Json): StatusCause[] {
  if (previous['immutable'] !== true) return [];
  const changed = ['data', 'binaryData'].filter(
    (key) => !equalJson(objectAt(object, key), objectAt(previous, key)),
  );
  return [...(object['immutable'] === true ? [] : ['immutable']), ...changed].map((field) =>
    forbiddenValue(field, IMMUTABLE_MESSAGE),
  );
}

export function validateSecretUpdate(secret: Json, previous: Json): StatusCause[] {
  const hasOtherType = secret['type'] !== previous['type'];
  return [
    ...(hasOtherType ? [invalidValue('type', secret['type'] ?? '', 'field is immutable')] : []),
    ...validateImmutableData(secret, previous),
  ];
}

function validateSecretType(secret: Json, data: Json): StatusCause[] {
  const type = String(secret['type'] ?? '');
  if (type === 'kubernetes.io/service-account-token') {
    const key = 'kubernetes.io/service-account.name';
    const hasName = Boolean(objectAt(objectAt(secret, 'metadata'), 'annotations')[key]);
    return hasName ? [] : [requiredValue(`metadata.annotations[${key}]`)];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const keys = ['username', 'password'];
    const hasOne = keys.some((key) => Object.hasOwn(data, key));
    return hasOne ? [] : keys.map((key) => requiredValue(`data[${key}]`));
  }
  const keys = SECRET_KEYS[type] ?? [];
  const missing = keys.filter((key) => !Object.hasOwn(data, key)).map((key) => requiredValue(`data[${key}]`));
  const isDocker = type.startsWith('kubernetes.io/docker');
  return missing.length > 0 || !isDocker ? missing : keys.flatMap((key) => validateDockerConfig(data, key));
}

function validateDockerConfig(data: Json, key: string): StatusCause[] {
  const error = goSyntaxError(Buffer.from(String(data[key]), 'base64'));
  return error === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', error)];
}

function decodedBytes(data: Json): number {
  return Object.values(data).reduce(
    (sum: number, value) => sum + Buffer.from(String(value), 'base64').length,
    0,
  );
}

function sortedKeys(data: Json): string[] {
  return Object.keys(data).sort();
}
