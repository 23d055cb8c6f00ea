import { readEnvelope } from '#dist/workers/decode/protobuf/envelope.js';
import { nested, varint } from '../support/objects/protobuf.js';
import { protobufDocuments } from '../support/objects/protobuf-documents.js';

/** An object of a built-in kind that can be an item of a list. */
export interface ProtobufItem {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message, with plain metadata: random metadata would mostly be rejected. */
  readonly item: Buffer;
  /** The same object as JSON, with the same metadata. */
  readonly json: Readonly<Record<string, unknown>>;
}

const METADATA = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '7' };

/** ObjectMeta. */
const METADATA_BYTES = Buffer.concat([nested(1, 'a'), nested(3, 'b'), nested(5, 'c'), nested(6, '7')]);

/** Every built-in kind with object metadata, filled at random by Go. */
export function protobufItems(): ProtobufItem[] {
  return protobufDocuments().flatMap(({ protobuf, json }) => {
    const { apiVersion, kind, raw } = readEnvelope(protobuf);
    const object = JSON.parse(json) as Record<string, unknown>;
    const metadata = object['metadata'] as Record<string, unknown> | undefined;
    const isItem = metadata !== undefined && !kind.endsWith('List') && kind !== 'Status';
    if (!isItem) return [];
    const item = Buffer.concat([nested(1, METADATA_BYTES), withoutFirstField(raw)]);
    return [{ apiVersion, kind, item, json: { ...object, metadata: METADATA } }];
  });
}

/** Field 1 is the first, as Go writes it. */
function withoutFirstField(raw: Uint8Array): Uint8Array {
  if (raw[0] !== 0x0a) return raw;
  let length = 0;
  let at = 1;
  for (let shift = 0; ; shift += 7) {
    const byte = raw[at++] as number;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return raw.subarray(at + length);
}

/** WatchEvent: { 1 type, 2 object: RawExtension { 1 raw } }, of an envelope with the item in it. */
export function protobufEvent(type: string, { apiVersion, kind }: ProtobufItem, item: Uint8Array): Buffer {
  const envelope = Buffer.concat([
    Buffer.from('k8s\0'),
    nested(1, nested(1, apiVersion), nested(2, kind)),
    ...[varint(0x12), varint(item.length), item],
    nested(3, ''),
    nested(4, ''),
  ]);
  return Buffer.concat([nested(1, type), nested(2, nested(1, envelope))]);
}
