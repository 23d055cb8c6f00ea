import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import { isRecord, isText, type Reason } from './rejected-object.js';

export interface ObjectType {
  readonly apiVersion: string;
  /** As what is expected, empty means any. */
  readonly kind: string;
}

/** An object that passed `checkType`. */
export interface TypedObject extends ObjectType {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly annotations?: unknown;
  };
}

/** What servers call objects of which only the metadata was asked for. */
export const PARTIAL_METADATA: ObjectType = {
  apiVersion: 'meta.k8s.io/v1',
  kind: 'PartialObjectMetadata',
};

/** What objects may be. A server that does not know the metadata form sends whole objects. */
export function acceptedTypes({ kind, apiVersion, form }: DecodingOptions): readonly ObjectType[] {
  const type = { kind, apiVersion };
  return form === 'metadata' ? [PARTIAL_METADATA, type] : [type];
}

/** What items are that do not say it, by what their list says; undefined if that says nothing. */
export function itemTypeOf({ kind, apiVersion }: ListHead): ObjectType | undefined {
  const isTyped = typeof kind === 'string' && kind.endsWith('List') && kind !== 'List';
  if (!isTyped || typeof apiVersion !== 'string') return undefined;
  return { kind: kind.slice(0, -'List'.length), apiVersion };
}

export interface Problem {
  readonly reason: Reason;
  readonly message: string;
}

/** Bookmarks have a version but no name. */
export type Shape = 'object' | 'bookmark';

const TABLE_VERSIONS: ReadonlySet<unknown> = new Set(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']);

/** What is wrong with a value that should be an object of one of these types; undefined if nothing is. */
export function checkType(value: unknown, types: readonly ObjectType[], shape: Shape): Problem | undefined {
  if (!isRecord(value)) return { reason: 'no-metadata', message: 'expected an object' };
  const { kind, apiVersion } = value;
  if (kind === 'Table' && TABLE_VERSIONS.has(apiVersion)) {
    return { reason: 'table', message: 'the object is a Table; ask for the objects themselves' };
  }
  const sameKind = types.filter((type) => type.kind === kind || (type.kind === '' && isText(kind)));
  if (sameKind.length === 0) {
    const message = `expected kind ${types[0]?.kind || '(any)'}, the object has ${nameOf(kind)}`;
    return { reason: 'wrong-type', message };
  }
  if (!sameKind.some((type) => type.apiVersion === apiVersion)) {
    const message = `expected apiVersion ${sameKind[0]?.apiVersion}, the object has ${nameOf(apiVersion)}`;
    return { reason: 'wrong-gvk', message };
  }
  const missing = missingMetadata(value['metadata'], shape);
  return missing === undefined
    ? undefined
    : { reason: 'no-metadata', message: `the object has no usable ${missing}` };
}

function missingMetadata(metadata: unknown, shape: Shape): string | undefined {
  if (!isRecord(metadata)) return 'metadata';
  const { name, namespace, resourceVersion } = metadata;
  if (!isText(resourceVersion)) return 'metadata.resourceVersion';
  if (shape === 'bookmark') return undefined;
  if (!isText(name)) return 'metadata.name';
  return namespace === undefined || typeof namespace === 'string' ? undefined : 'metadata.namespace';
}

/** Names of types are short; anything else is data. */
function nameOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 253 ? JSON.stringify(value) : 'none';
}
