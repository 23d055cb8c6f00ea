import { isUtf8 } from 'node:buffer';
import { parsePath, valuesAtPath } from '../src/kube/path.js';
import { CellWriter, type RowHeader, type RowType, Scratch } from '../src/wire/cells.js';
import type { DecodingOptions } from '../src/wire/stream-task.js';
import {
  acceptedTypes,
  checkType,
  itemTypeOf,
  type ObjectType,
  type TypedObject,
} from './decode/check-type.js';
import { type PathDropper, pathDropper } from './decode/drop-path.js';
import { jsonText } from './decode/json-text.js';
import { isRecord, type RejectedRow, rejectParsed, rejectUnread } from './decode/rejected.js';
import type { Decoded, Decoder } from './decoder.js';
import type { Hooks } from './hooks.js';
import type { ListHead } from './split/list-splitter.js';
import { ValueScanner } from './split/value-scanner.js';

export interface JsonDecoderOptions {
  readonly decoding: DecodingOptions;
  /** Of `StreamLimits`. */
  readonly depth: number;
  /** Of src/wire/codec.ts. The bytes are only borrowed until the next call. */
  readonly packer: { pack(object: unknown): Uint8Array };
  readonly hooks?: Hooks | undefined;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

const STATUS_VERSIONS: ReadonlySet<unknown> = new Set(['v1', 'meta.k8s.io/v1']);

const ROW_TYPES: ReadonlyMap<unknown, 'added' | 'modified' | 'deleted'> = new Map([
  ['ADDED', 'added'],
  ['MODIFIED', 'modified'],
  ['DELETED', 'deleted'],
]);

/** Larger than almost every object. */
const CELL_BYTES = 16 * 1024;

const NO_VALUES: readonly (readonly string[])[] = [];

/**
 * The reference decoder: JSON.parse, then everything else on the object. The steps, in order: type check, `drop`
 * paths, the user's check and transform, index values, packing. Index values are those of the object as it is kept.
 */
export class JsonDecoder implements Decoder {
  readonly #options: JsonDecoderOptions;
  readonly #type: ObjectType;
  readonly #accepted: readonly ObjectType[];
  readonly #droppers: readonly PathDropper[];
  readonly #indexPaths: readonly (readonly string[])[];
  readonly #hooks: Hooks | undefined;
  readonly #scanner = new ValueScanner();
  readonly #cell = new CellWriter(new Scratch(CELL_BYTES));
  /** Of items that carry none. */
  #itemType: ObjectType;

  constructor(options: JsonDecoderOptions) {
    const { decoding } = options;
    const { apiVersion, kind } = decoding;
    this.#options = options;
    this.#type = { kind, apiVersion };
    this.#itemType = this.#type;
    this.#accepted = acceptedTypes(decoding);
    this.#droppers = decoding.drop.map(pathDropper);
    this.#indexPaths = decoding.indexPaths.map(parsePath);
    this.#hooks = options.hooks;
  }

  beginList(head: ListHead): void {
    this.#itemType = itemTypeOf(head) ?? this.#type;
  }

  decodeItem(bytes: Uint8Array, depth: number = this.#depthOf(bytes)): Decoded {
    const item = this.#parse(bytes, depth, 'item');
    if (item instanceof Unread) return item.row;
    return this.#decode('item', this.#withType(item), undefined);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    // The event itself is one level.
    const event = this.#parse(bytes, this.#depthOf(bytes) - 1, 'event');
    if (event instanceof Unread) return event.row;
    const { type, object } = isRecord(event) ? event : {};
    if (type === 'ERROR') return { type: 'error', status: statusOf(object) };
    const eventType = typeof type === 'string' ? type : undefined;
    if (type === 'BOOKMARK') return this.#decodeBookmark(object);
    const rowType = ROW_TYPES.get(type);
    if (rowType !== undefined) return this.#decode(rowType, object, eventType);
    const message = 'unable to understand a watch event of an unknown type';
    return rejectParsed('unknown-event', message, object, eventType);
  }

  #decodeBookmark(object: unknown): Decoded {
    const problem = checkType(object, this.#accepted, 'bookmark');
    if (problem !== undefined) return rejectParsed(problem.reason, problem.message, object, 'BOOKMARK');
    const { resourceVersion, annotations } = (object as TypedObject).metadata;
    const initialEventsEnd = isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
    return { type: 'bookmark', resourceVersion, initialEventsEnd };
  }

  #decode(type: RowType, value: unknown, eventType: string | undefined): Decoded {
    const problem = checkType(value, this.#accepted, 'object');
    if (problem !== undefined) return rejectParsed(problem.reason, problem.message, value, eventType);
    const object = this.#inForm(value as TypedObject);
    const { namespace = '', name, uid, resourceVersion } = object.metadata;
    for (const drop of this.#droppers) drop(object);
    let kept: object = object;
    let indexValues: readonly (readonly string[])[];
    try {
      // A deletion is a fact about a key: refusing it would keep the object for ever.
      if (type !== 'deleted') this.#hooks?.check(kept);
      if (this.#hooks !== undefined)
        kept = { kind: object.kind, apiVersion: object.apiVersion, ...this.#hooks.transform(kept) };
      indexValues = this.#indexValues(kept);
    } catch (error) {
      return rejectParsed(
        'hook',
        error instanceof Error ? error.message : String(error),
        { metadata: { namespace, name, resourceVersion } },
        eventType,
      );
    }
    const header = {
      type,
      namespace,
      name,
      uid: typeof uid === 'string' ? uid : '',
      resourceVersion,
      indexValues,
    };
    try {
      return this.#cellOf(header, this.#options.packer.pack(kept));
    } catch {
      // JSON always can be packed, so a hook has put in something else.
      const message = 'transform returned what JSON cannot hold';
      return rejectParsed('hook', message, { metadata: { namespace, name, resourceVersion } }, eventType);
    }
  }

  #cellOf(header: RowHeader, payload: Uint8Array): Decoded {
    this.#cell.clear();
    this.#cell.write(header, payload);
    return { cells: this.#cell.cells, offset: 0 };
  }

  #indexValues(object: object): readonly (readonly string[])[] {
    const fromHooks = this.#hooks?.indexValues(object) ?? NO_VALUES;
    if (this.#indexPaths.length === 0) return fromHooks;
    return [...this.#indexPaths.map((path) => valuesAtPath(object, path)), ...fromHooks];
  }

  /** In the order of fields that events have, so that lists and watches give equal shapes. */
  #withType(item: unknown): unknown {
    if (!isRecord(item) || item['kind'] !== undefined || item['apiVersion'] !== undefined) return item;
    return { ...this.#itemType, ...item };
  }

  #inForm(object: TypedObject): TypedObject {
    if (this.#options.decoding.form === 'object') return object;
    return { ...this.#type, metadata: object.metadata };
  }

  #depthOf(bytes: Uint8Array): number {
    // Each level takes two bytes.
    if (bytes.length <= this.#options.depth * 2) return 0;
    this.#scanner.reset();
    this.#scanner.scan(bytes, 0);
    return this.#scanner.maxDepth;
  }

  #parse(bytes: Uint8Array, depth: number, document: 'item' | 'event'): unknown {
    if (depth > this.#options.depth) {
      const message = `the object is nested deeper than ${this.#options.depth} levels`;
      return new Unread(rejectUnread(message, bytes, document));
    }
    if (!isUtf8(bytes)) {
      return new Unread(rejectUnread('the object is not valid UTF-8', bytes, document));
    }
    try {
      return JSON.parse(jsonText(bytes));
    } catch {
      // V8's own message quotes the object.
      return new Unread(rejectUnread('the object is not valid JSON', bytes, document));
    }
  }
}

/** What `#parse` gives instead of a value. A class of its own, so that no JSON value can be mistaken for it. */
class Unread {
  readonly row: RejectedRow;

  constructor(row: RejectedRow) {
    this.row = row;
  }
}

/** Anything but a Status is an error of no class, like client-go's unexpected object. */
function statusOf(object: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(object) && object['kind'] === 'Status' && STATUS_VERSIONS.has(object['apiVersion']))
    return object;
  return { message: 'the server sent an ERROR event without a Status' };
}
