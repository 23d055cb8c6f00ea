import { itemTypeOf, type ObjectType } from '../../../src/kube/item-type.js';
import { parsePath } from '../../../src/kube/path.js';
import { protobufMessageOfKind } from '../../../src/kube/protobuf-schema/protobuf-kind.js';
import { ProtobufError, WIRE_TYPES, WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import type { ListHead } from '../../split/item-splitter.js';
import type { Decoded, Decoder } from '../decoder.js';
import { isCaptured } from '../decoding-plan.js';
import { ObjectDecoder, type ObjectDecoderOptions } from '../object-decoder.js';
import { rejectUnparsed } from '../rejected-object.js';
import { readProtobufIdentity } from './document-identity.js';
import { type DropTree, dropTree } from './drop-tree.js';
import { type Envelope, readEnvelope, skipUnknown } from './envelope.js';
import { goString } from './go-format.js';
import { MessageReader } from './message-reader.js';
import type { UnknownFields } from './unknown-fields.js';

export interface ProtobufReferenceOptions extends ObjectDecoderOptions {
  /** Of `StreamLimits`. */
  readonly depth: number;
  /** Of the stream. What it throws, the decoder throws. */
  readonly unknownFields: UnknownFields;
}

/** Any message with metadata in field 1 can be read as this, if only to identify it. */
const METADATA_MESSAGE = 'meta.v1.PartialObjectMetadata';

/** The reference decoder for protobuf: first to an object that equals JSON's, then everything else on that object. */
export class ProtobufReferenceDecoder implements Decoder {
  readonly #objects: ObjectDecoder;
  readonly #messages: MessageReader;
  /** Reads only the metadata of messages of any kind: the other fields are not unknown. */
  readonly #metadata: MessageReader;
  readonly #unknownFields: UnknownFields;
  readonly #isMetadataOnly: boolean;
  readonly #kind: string;
  /** Skipped while reading. Without the identity fields: these are dropped after they have been read, as for JSON. */
  readonly #drops: DropTree;
  #itemType: ObjectType;

  constructor(options: ProtobufReferenceOptions) {
    const { apiVersion, kind, form } = options.decoding;
    this.#objects = new ObjectDecoder(options);
    this.#unknownFields = options.unknownFields;
    this.#messages = new MessageReader({ maxDepth: options.depth, unknownFields: options.unknownFields });
    this.#metadata = new MessageReader({ maxDepth: options.depth });
    this.#isMetadataOnly = form === 'metadata';
    this.#kind = kind;
    this.#drops = dropTree(options.decoding.drop.filter((path) => !isCaptured(parsePath(path))));
    this.#itemType = { apiVersion, kind };
  }

  beginList(head: ListHead): void {
    this.#itemType = itemTypeOf(head) ?? this.#itemType;
    this.#objects.beginList(head);
  }

  decodeItem(bytes: Uint8Array): Decoded {
    try {
      return this.#objects.item(this.#object({ ...this.#itemType, raw: bytes }, this.#drops));
    } catch (error) {
      return reject(error, bytes, 'item');
    }
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    try {
      const { type, object } = readWatchEvent(bytes, this.#unknownFields);
      // Bookmarks and errors are read completely.
      const drops = type === 'BOOKMARK' || type === 'ERROR' ? undefined : this.#drops;
      const envelope = readEnvelope(object, this.#unknownFields);
      return this.#objects.event({ type, object: this.#object(envelope, drops) });
    } catch (error) {
      return reject(error, bytes, 'event');
    }
  }

  #object({ kind, apiVersion, raw }: Envelope, drops: DropTree | undefined): Record<string, unknown> {
    const message = this.#messageOf(apiVersion, kind);
    const isOther = message === METADATA_MESSAGE && kind !== 'PartialObjectMetadata';
    return { kind, apiVersion, ...(isOther ? this.#metadata : this.#messages).read(message, raw, drops) };
  }

  #messageOf(apiVersion: string, kind: string): string {
    const known = protobufMessageOfKind(apiVersion, kind);
    if (known !== undefined && (kind === 'Status' || !this.#isMetadataOnly)) return known;
    const isWanted = this.#kind === '' || this.#kind === kind;
    if (isWanted && !this.#isMetadataOnly) {
      throw new ProtobufError('the protobuf schema of the object is unknown; use encoding "json"');
    }
    return METADATA_MESSAGE;
  }
}

/** WatchEvent: { 1 type, 2 object: RawExtension { 1 raw } }. */
function readWatchEvent(
  bytes: Uint8Array,
  unknownFields: UnknownFields,
): { readonly type: string; readonly object: Uint8Array } {
  const reader = new WireReader(bytes);
  let type = '';
  let object: Uint8Array = bytes.subarray(0, 0);
  while (!reader.isDone) {
    reader.readTag('WatchEvent');
    if (reader.field > 2) skipUnknown(reader, 'WatchEvent', unknownFields);
    else if (reader.wireType !== WIRE_TYPES.bytes) throw new ProtobufError('the watch event is invalid');
    else if (reader.field === 1) type = goString(reader.bytes());
    else object = readRawExtension(reader.bytes(), unknownFields) ?? object;
  }
  return { type, object };
}

function readRawExtension(bytes: Uint8Array, unknownFields: UnknownFields): Uint8Array | undefined {
  const reader = new WireReader(bytes);
  let raw: Uint8Array | undefined;
  while (!reader.isDone) {
    reader.readTag('RawExtension');
    if (reader.field > 1) skipUnknown(reader, 'RawExtension', unknownFields);
    else if (reader.wireType !== WIRE_TYPES.bytes) throw new ProtobufError('the watch event is invalid');
    else raw = reader.bytes();
  }
  return raw;
}

function reject(error: unknown, bytes: Uint8Array, document: 'item' | 'event'): Decoded {
  if (!(error instanceof ProtobufError)) throw error;
  return rejectUnparsed(error.message, bytes, document, readProtobufIdentity);
}
