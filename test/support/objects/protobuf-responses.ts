/** Decodes protobuf responses of an API server, with the embedded server's decoder of request bodies. */

import { decodeEnvelope } from '#dist/apiserver/protobuf/decode-envelope.js';
import { decodeMessage } from '#dist/apiserver/protobuf/decode-message.js';
import { bytesField, readFields } from '#dist/apiserver/protobuf/read-fields.js';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';

export interface ProtobufEvent {
  type: string;
  object: Record<string, unknown>;
}

/** A body that is one object or list, as JSON without fields that were not sent. */
export function readProtobuf(bytes: Buffer): Record<string, unknown> {
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  const message = protobufMessageOfKind(apiVersion, kind);
  if (message === undefined) throw new Error(`no message for ${kind} of ${apiVersion}`);
  return { apiVersion, kind, ...decodeMessage(message, raw) };
}

/** The body of a watch, which must end with a complete frame. */
export function readProtobufEvents(bytes: Buffer): ProtobufEvent[] {
  const events: ProtobufEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new Error(`the body ends ${at - bytes.length} bytes before its last frame`);
    events.push(readEvent(bytes.subarray(start, at)));
  }
  return events;
}

function readEvent(frame: Buffer): ProtobufEvent {
  const event: ProtobufEvent = { type: '', object: {} };
  readFields(frame, 'WatchEvent', {
    1: bytesField('Type', (text) => {
      event.type = text.toString();
    }),
    2: bytesField('Object', (object) =>
      readFields(object, 'RawExtension', {
        1: bytesField('Raw', (raw) => {
          event.object = readProtobuf(raw);
        }),
      }),
    ),
  });
  return event;
}
