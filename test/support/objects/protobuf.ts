/** Encodes protobuf field by field: valid messages, and invalid ones that no encoder would write. */

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A varint; negative integers take ten bytes. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

export function integer(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

export function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), bytes]);
}

/** A string, bytes, or a message of the fields. */
export function nested(field: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

export function entry(field: number, key: string, value: string | Buffer): Buffer {
  return nested(field, nested(1, key), nested(2, value));
}

export function envelope(apiVersion: string, kind: string, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from('k8s\0'),
    nested(1, nested(1, apiVersion), nested(2, kind)),
    nested(2, ...parts),
    nested(3, ''),
    nested(4, ''),
  ]);
}
