import type { Resource } from '../resource.js';
import { PROTOBUF_KINDS } from './table.js';

let messages: ReadonlyMap<string, string> | undefined;

/**
 * The protobuf message of a kind, including lists and `v1` Status; undefined for kinds without one, such as custom
 * resources. Options and WatchEvent, which every group has, are found under `v1` only.
 */
export function protobufMessageOfKind(apiVersion: string, kind: string): string | undefined {
  messages ??= new Map(PROTOBUF_KINDS.split('\n').flatMap(readLine));
  return messages.get(`${apiVersion} ${kind}`);
}

function readLine(line: string): [string, string][] {
  const [apiVersion, prefix, ...tokens] = line.split(' ');
  return tokens.map((token) => {
    const [kind, message] = token.split('=');
    return [`${apiVersion} ${kind}`, message ?? `${prefix}.${kind}`];
  });
}

/** Whether objects of the resource can be read in protobuf. Without a kind, the plural decides. */
export function isProtobufResource({ apiVersion, kind, plural }: Resource): boolean {
  if (kind !== '') return protobufMessageOfKind(apiVersion, kind) !== undefined;
  const line = PROTOBUF_KINDS.split('\n').find((candidate) => candidate.startsWith(`${apiVersion} `)) ?? '';
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
