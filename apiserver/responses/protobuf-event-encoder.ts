import { ENVELOPE_TAIL, type TypeMeta } from '../protobuf/encode-envelope.js';
import { encodeMessage } from '../protobuf/encode-message.js';
import { frameHead, watchFrame } from '../protobuf/watch-frame.js';
import type { Resource } from '../resources/resource.js';
import type { StatusBody } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import { bookmarkObject, type EventEncoder, type EventType } from './event-encoder.js';
import { messageOf, type ProtobufForm, protobufObject, protobufType } from './object-protobuf.js';

const MAX_HEADS = 1000;

const STATUS = { apiVersion: 'v1', kind: 'Status' };

/** Writes the frames of one watch. */
export class ProtobufEventEncoder implements EventEncoder {
  readonly #resource: Resource;
  readonly #form: ProtobufForm;
  readonly #type: TypeMeta;
  readonly #message: string;
  /** Heads of frames by event type and length, which repeat for many objects. */
  readonly #heads = new Map<string, Buffer>();

  constructor(resource: Resource, form: ProtobufForm) {
    this.#resource = resource;
    this.#form = form;
    this.#type = protobufType(resource, form);
    this.#message = messageOf(this.#type);
  }

  object(type: EventType, stored: StoredObject): Buffer {
    if (this.#form === 'metadata') {
      return watchFrame(type, this.#type, protobufObject(this.#resource, this.#form, stored));
    }
    const frame = Buffer.allocUnsafe(this.#length(type, stored));
    this.writeObject(type, stored, frame, 0);
    return frame;
  }

  writeObject(type: EventType, stored: StoredObject, target: Buffer, offset: number): number | undefined {
    if (this.#form === 'metadata') return undefined;
    const length = stored.protobufLength(this.#message);
    const head = this.#head(type, length);
    if (offset + head.length + length + ENVELOPE_TAIL.length > target.length) return undefined;
    target.set(head, offset);
    const end = stored.writeProtobuf(this.#message, target, offset + head.length);
    return end + ENVELOPE_TAIL.copy(target, end);
  }

  bookmark(revision: number, isInitialEventsEnd: boolean): Buffer {
    const object = bookmarkObject(this.#resource, this.#form, revision, isInitialEventsEnd);
    return watchFrame('BOOKMARK', this.#type, encodeMessage(this.#message, object));
  }

  error(status: StatusBody): Buffer {
    return watchFrame('ERROR', STATUS, encodeMessage(messageOf(STATUS), { ...status }));
  }

  #length(type: EventType, stored: StoredObject): number {
    const length = stored.protobufLength(this.#message);
    return this.#head(type, length).length + length + ENVELOPE_TAIL.length;
  }

  #head(type: EventType, length: number): Buffer {
    const key = `${type} ${length}`;
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    if (this.#heads.size === MAX_HEADS) this.#heads.clear();
    const head = frameHead(type, this.#type, length);
    this.#heads.set(key, head);
    return head;
  }
}
