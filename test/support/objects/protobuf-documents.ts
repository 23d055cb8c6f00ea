import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** An object of a built-in kind, filled at random and encoded by Go (scripts/protobuf-schema). */
export interface ProtobufDocument {
  /** The envelope and the object, as the API server sends them. */
  readonly protobuf: Buffer;
  /** The JSON of the object that Go decodes from that protobuf, with `kind` and `apiVersion`. */
  readonly json: string;
  /** The protobuf that Go encodes from the JSON: different where JSON has less information, such as a pointer to a zero time. */
  readonly protobufOfJson: Buffer;
  /** True if both encodings are equal. */
  readonly isReversible: boolean;
}

/** Also found from dist-test. */
const FILE = new URL('../../fixtures/protobuf-documents.br', import.meta.url.replace('/dist-test/', '/'));

const IS_REVERSIBLE = 1;

/** Every built-in kind, lists included: empty, full and between; each field of each message is filled in one of them. */
export function protobufDocuments(): ProtobufDocument[] {
  const bytes = brotliDecompressSync(readFileSync(FILE));
  const documents: ProtobufDocument[] = [];
  let at = 0;
  const part = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    return bytes.subarray(start, at);
  };
  while (at < bytes.length) {
    const flags = bytes.readUInt8(at++);
    const isReversible = (flags & IS_REVERSIBLE) !== 0;
    const protobuf = part();
    const json = part().toString();
    documents.push({ protobuf, json, protobufOfJson: isReversible ? protobuf : part(), isReversible });
  }
  return documents;
}
