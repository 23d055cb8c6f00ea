import { INITIAL_EVENTS_END } from '../../src/kube/bookmark.js';
import type { KubeObject } from '../control/kube-object.js';
import { encodeJson } from '../json.js';
import { orderTyped } from '../objects/field-order.js';
import { type IncludeObject, tableRow } from '../objects/table.js';
import type { Form } from '../requests/negotiate.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import type { StatusBody } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import { fullObject, isStoredForm, metadataObject, typePrefix } from './object-json.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const END = Buffer.from('}\n');

/** Writes the events of one watch. */
export interface EventEncoder {
  object(type: EventType, stored: StoredObject): Buffer;
  /**
   * The same into `target`: returns the offset after the event, or undefined if it does not fit or cannot be
   * encoded in place.
   */
  writeObject(type: EventType, stored: StoredObject, target: Buffer, offset: number): number | undefined;
  bookmark(revision: number, isInitialEventsEnd: boolean): Buffer;
  error(status: StatusBody): Buffer;
}

/** Encodes events as lines of JSON. */
export class JsonEventEncoder implements EventEncoder {
  readonly #resource: Resource;
  readonly #form: Form;
  readonly #includeObject: IncludeObject;
  readonly #now: () => Date;
  /** The bytes before a stored item. */
  readonly #heads: Readonly<Record<EventType, Buffer>>;
  #hasToldColumns = false;

  constructor(resource: Resource, form: Form, includeObject: IncludeObject, now: () => Date) {
    this.#resource = resource;
    this.#form = form;
    this.#includeObject = includeObject;
    this.#now = now;
    const prefix = resource.isCustom ? '' : typePrefix(resource);
    const head = (type: EventType): Buffer => Buffer.from(`${eventStart(type)}${prefix}`);
    this.#heads = { ADDED: head('ADDED'), MODIFIED: head('MODIFIED'), DELETED: head('DELETED') };
  }

  object(type: EventType, stored: StoredObject): Buffer {
    return Buffer.concat([Buffer.from(eventStart(type)), this.#encode(stored), END]);
  }

  writeObject(type: EventType, stored: StoredObject, target: Buffer, offset: number): number | undefined {
    if (this.#form !== 'object' || !isStoredForm(this.#resource)) return undefined;
    const head = this.#heads[type];
    if (offset + head.length + stored.itemLength + END.length > target.length) return undefined;
    // A typed item's opening brace is overwritten by the comma after its kind and apiVersion.
    const itemAt = offset + head.length - (this.#resource.isCustom ? 0 : 1);
    const end = stored.writeItem(target, itemAt);
    head.copy(target, offset);
    return end + END.copy(target, end);
  }

  bookmark(revision: number, isInitialEventsEnd: boolean): Buffer {
    const object = bookmarkObject(this.#resource, this.#form, revision, isInitialEventsEnd);
    // In a watch of tables a bookmark is a table, too, with one row.
    if (this.#form === 'table') {
      const line = Buffer.from(`{"type":"BOOKMARK","object":`);
      return Buffer.concat([line, this.#tableRow(object), END]);
    }
    return Buffer.from(`${encodeJson({ type: 'BOOKMARK', object })}\n`);
  }

  error(status: StatusBody): Buffer {
    return Buffer.from(`${encodeJson({ type: 'ERROR', object: status })}\n`);
  }

  #tableRow(object: KubeObject): Buffer {
    const isFirst = !this.#hasToldColumns;
    this.#hasToldColumns = true;
    const options = { isFirst, includeObject: this.#includeObject, now: this.#now().getTime() };
    return Buffer.from(encodeJson(tableRow(this.#resource, object, options)));
  }

  #encode(stored: StoredObject): Buffer {
    if (this.#form === 'object') return fullObject(this.#resource, stored);
    if (this.#form === 'metadata') return metadataObject(stored);
    return this.#tableRow(stored.parse());
  }
}

function eventStart(type: EventType): string {
  return `{"type":"${type}","object":`;
}

/** The zero value of the watched kind with a resourceVersion. */
export function bookmarkObject(
  resource: Resource,
  form: Form,
  revision: number,
  isInitialEventsEnd: boolean,
): KubeObject {
  const annotations = isInitialEventsEnd ? { [INITIAL_EVENTS_END]: 'true' } : undefined;
  const metadata = {
    resourceVersion: String(revision),
    ...(annotations === undefined ? {} : { annotations }),
  };
  if (form === 'metadata') return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  return zeroObject(resource, metadata);
}

/** Go's JSON of an otherwise empty object of a kind. */
function zeroObject(resource: Resource, metadata: NonNullable<KubeObject['metadata']>): KubeObject {
  const type = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  // The zero value of the server's internal type, in which this count is not a pointer.
  const hasReplicas = resource.group === 'apps';
  return orderTyped(resource, { ...type, metadata, ...(hasReplicas ? { spec: { replicas: 0 } } : {}) });
}
