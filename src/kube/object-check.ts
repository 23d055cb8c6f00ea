import { isNonEmptyString, isRecord } from './object.js';
import type { RejectionReason } from './rejected-object.js';

/** What an object has to be. An absent field is not checked; an empty `kind` stands for any kind. */
export interface ExpectedType {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
}

export interface ObjectProblem {
  readonly reason: RejectionReason;
  readonly message: string;
}

const TABLE_VERSIONS: ReadonlySet<unknown> = new Set(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']);

/** What a server sends to a client that asks for columns to print instead of objects. */
export function isTable({
  kind,
  apiVersion,
}: {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
}): boolean {
  return kind === 'Table' && TABLE_VERSIONS.has(apiVersion);
}

/**
 * What is wrong with a value that should be an object of one of these types, or undefined. A bookmark has a resource
 * version but no name. Objects of a program's own functions, unlike a server's, may have an empty version, as fakes do.
 */
export function checkObject(
  value: unknown,
  types: readonly ExpectedType[],
  form: 'object' | 'bookmark',
  source: 'server' | 'program' = 'server',
): ObjectProblem | undefined {
  if (!isRecord(value)) return { reason: 'no-metadata', message: 'expected an object' };
  if (isTable(value)) {
    return { reason: 'table', message: 'the object is a Table; request the objects themselves' };
  }
  const { kind, apiVersion } = value;
  const sameKind = types.filter((type) => isExpectedKind(type.kind, kind));
  if (sameKind.length === 0) {
    const message = `expected kind ${types[0]?.kind || '(any)'}, the object has ${nameOf(kind)}`;
    return { reason: 'wrong-type', message };
  }
  if (!sameKind.some((type) => type.apiVersion === undefined || type.apiVersion === apiVersion)) {
    const message = `expected apiVersion ${sameKind[0]?.apiVersion}, the object has ${nameOf(apiVersion)}`;
    return { reason: 'wrong-gvk', message };
  }
  const missing = missingMetadata(value['metadata'], form, source);
  return missing === undefined
    ? undefined
    : { reason: 'no-metadata', message: `the object has no usable ${missing}` };
}

function isExpectedKind(expected: string | undefined, kind: unknown): boolean {
  return expected === undefined || expected === kind || (expected === '' && isNonEmptyString(kind));
}

function missingMetadata(
  metadata: unknown,
  form: 'object' | 'bookmark',
  source: 'server' | 'program',
): string | undefined {
  if (!isRecord(metadata)) return 'metadata';
  const { name, namespace, resourceVersion } = metadata;
  const mayBeEmpty = source === 'program' && resourceVersion === '';
  if (!mayBeEmpty && !isNonEmptyString(resourceVersion)) return 'metadata.resourceVersion';
  if (form === 'bookmark') return undefined;
  if (!isNonEmptyString(name)) return 'metadata.name';
  const isNamespaceUsable = source === 'program' || namespace === undefined || typeof namespace === 'string';
  return isNamespaceUsable ? undefined : 'metadata.namespace';
}

/** Names of types are short; anything else is data, which no message may contain. */
function nameOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 253 ? JSON.stringify(value) : 'none';
}
