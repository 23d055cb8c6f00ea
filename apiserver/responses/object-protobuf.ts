/** Objects encoded in protobuf. */

import { protobufMessageOfKind } from '../../src/kube/protobuf-schema/protobuf-kind.js';
import { partialMetadata } from '../objects/partial-metadata.js';
import type { TypeMeta } from '../protobuf/encode-envelope.js';
import { encodeMessage } from '../protobuf/encode-message.js';
import type { Form } from '../requests/negotiate.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Tables have no protobuf. */
export type ProtobufForm = Exclude<Form, 'table'>;

const METADATA: TypeMeta = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };

/** The type of one object in its envelope. */
export function protobufType(resource: Resource, form: ProtobufForm): TypeMeta {
  return form === 'metadata' ? METADATA : { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** The type of a list in its envelope. */
export function protobufListType(resource: Resource, form: ProtobufForm): TypeMeta {
  return form === 'metadata'
    ? { ...METADATA, kind: `${METADATA.kind}List` }
    : { apiVersion: apiVersionOf(resource), kind: resource.listKind };
}

export function messageOf({ apiVersion, kind }: TypeMeta): string {
  const message = protobufMessageOfKind(apiVersion, kind);
  if (message === undefined) throw new Error(`${kind} of ${apiVersion} has no protobuf`);
  return message;
}

/** An object's message, without an envelope. */
export function protobufObject(resource: Resource, form: ProtobufForm, stored: StoredObject): Buffer {
  const message = messageOf(protobufType(resource, form));
  if (form === 'metadata') return encodeMessage(message, partialMetadata(stored.parse()));
  const bytes = Buffer.allocUnsafe(stored.protobufLength(message));
  stored.writeProtobuf(message, bytes, 0);
  return bytes;
}
