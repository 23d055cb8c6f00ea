import { describe, expect, it } from 'vitest';
import { protobufMessageOfKind } from '../../../src/kube/protobuf-schema/protobuf-kind.js';
import { parseJson } from '../../../workers/apiserver/json.js';
import { encodeObject, type TypeMeta } from '../../../workers/apiserver/protobuf/encode-envelope.js';
import { type ProtobufDocument, protobufDocuments } from '../../support/protobuf-documents.js';

function encode({ json }: ProtobufDocument): Buffer {
  const object = parseJson(json) as TypeMeta & Record<string, unknown>;
  const message = protobufMessageOfKind(object.apiVersion, object.kind);
  if (message === undefined) throw new Error(`no message for ${object.kind}`);
  return encodeObject(message, object);
}

describe('the protobuf encoder of the embedded server', () => {
  it('writes what Go writes, byte for byte', () => {
    const documents = protobufDocuments().filter(({ isReversible }) => isReversible);
    expect(documents.length).toBeGreaterThan(2000);
    const different = documents.filter((document) => !encode(document).equals(document.protobuf));
    expect(different.map(({ json }) => json)).toEqual([]);
  });
});
