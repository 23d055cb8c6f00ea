import type { Resource } from '../resource.js';
import { protobufMessageOfKind } from './protobuf-kind.js';
import { PROTOBUF_KINDS } from './table.js';

/** Whether objects of the resource can be read in protobuf. Where the kind is not known, the plural tells it. */
export function isProtobufResource({ apiVersion, kind, plural }: Resource): boolean {
  if (kind !== '') return protobufMessageOfKind(apiVersion, kind) !== undefined;
  const line = PROTOBUF_KINDS.split('\n').find((text) => text.startsWith(`${apiVersion} `)) ?? '';
  const [, , ...tokens] = line.split(' ');
  return tokens.some((token) => pluralOf(token.split('=')[0] ?? '') === plural);
}

/** As Kubernetes names all its own resources. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === 'endpoints') return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
