import { PROTOBUF_KINDS } from './table.js';

let messages: ReadonlyMap<string, string> | undefined;

/**
 * The name of the message that a kind is sent as, lists and `v1` Status included; undefined for what has none here,
 * such as custom resources. Options and WatchEvent, which every group has, are found under `v1` only.
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
