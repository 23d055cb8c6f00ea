import { describe, expect, it } from 'vitest';
import { parseJson } from '../../apiserver/json.js';
import { decodeEnvelope } from '../../apiserver/protobuf/decode-envelope.js';
import { decodeMessage } from '../../apiserver/protobuf/decode-message.js';
import { encodeObject, type TypeMeta } from '../../apiserver/protobuf/encode-envelope.js';
import { encodeMessage } from '../../apiserver/protobuf/encode-message.js';
import { protobufMessageOfKind } from '../../src/kube/protobuf-schema/protobuf-kind.js';
import { type ProtobufDocument, protobufDocuments } from '../support/objects/protobuf-documents.js';

function messageOf({ apiVersion, kind }: TypeMeta): string {
  return protobufMessageOfKind(apiVersion, kind) ?? expect.fail(`no message for ${kind}`);
}

function encode({ json }: ProtobufDocument): Buffer {
  const object = parseJson(json) as TypeMeta & Record<string, unknown>;
  return encodeObject(messageOf(object), object);
}

describe('the protobuf encoder of the embedded server', () => {
  it('encodes as Go does, byte for byte', () => {
    // JSON that protobuf holds as text (RawExtension) keeps its value with us, but not its spelling.
    const documents = protobufDocuments().filter(({ json }) => !/":1e3|\\u00e9/.test(json));
    expect(documents.length).toBeGreaterThan(2900);
    const different = documents.filter((document) => !encode(document).equals(document.protobufOfJson));
    expect(different.map(({ json }) => json)).toEqual([]);
  });

  it('encodes what the decoder of request bodies has decoded', () => {
    const documents = protobufDocuments().filter(({ isReversible }) => isReversible);
    const different = documents.filter(({ protobuf }) => {
      const { raw, ...type } = decodeEnvelope(protobuf);
      const message = messageOf(type);
      return !encodeMessage(message, decodeMessage(message, raw)).equals(raw);
    });
    expect(different.map(({ json }) => json)).toEqual([]);
  });
});
