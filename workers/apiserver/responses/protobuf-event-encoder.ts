import { encodeMessage } from '../protobuf/encode-message.js';
import { watchFrame } from '../protobuf/watch-frame.js';
import type { Resource } from '../resources/resource.js';
import type { StatusBody } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import { bookmarkObject, type EventEncoder, type EventType } from './event-encoder.js';
import { messageOf, type ProtobufForm, protobufObject, protobufType } from './protobuf-form.js';

const STATUS = { apiVersion: 'v1', kind: 'Status' };

/** Writes the frames of one watch. */
export class ProtobufEventEncoder implements EventEncoder {
  readonly #resource: Resource;
  readonly #form: ProtobufForm;

  constructor(resource: Resource, form: ProtobufForm) {
    this.#resource = resource;
    this.#form = form;
  }

  object(type: EventType, stored: StoredObject): Buffer {
    const message = protobufObject(this.#resource, this.#form, stored);
    return watchFrame(type, protobufType(this.#resource, this.#form), message);
  }

  bookmark(revision: number, isInitialEventsEnd: boolean): Buffer {
    const type = protobufType(this.#resource, this.#form);
    const object = bookmarkObject(this.#resource, this.#form, revision, isInitialEventsEnd);
    return watchFrame('BOOKMARK', type, encodeMessage(messageOf(type), object));
  }

  error(status: StatusBody): Buffer {
    return watchFrame('ERROR', STATUS, encodeMessage(messageOf(STATUS), { ...status }));
  }
}
