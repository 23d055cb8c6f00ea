import { parsePath, valuesAtPath } from '../../src/kube/path.js';
import { CellWriter, type RowHeader, type RowType } from '../../src/wire/cells.js';
import { ScratchBuffers } from '../../src/wire/scratch-buffers.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import { acceptedTypes, checkType, itemTypeOf, type ObjectType, type TypedObject } from './check-type.js';
import type { Decoded } from './decoder.js';
import { type PathDropper, pathDropper } from './drop-path.js';
import type { Hooks } from './hooks.js';
import { isRecord, rejectParsed } from './rejected-object.js';

export interface ObjectDecoderOptions {
  readonly decoding: DecodingOptions;
  /** Of src/wire/object-packer.ts. The bytes are only borrowed until the next call. */
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
 * From an object, however it was read, to a cell. The steps, in order: type check, `drop` paths, the user's check and transform, index
 * values, packing. Index values are those of the object as it is kept.
 */
export class ObjectDecoder {
  readonly #options: ObjectDecoderOptions;
  readonly #type: ObjectType;
  readonly #accepted: readonly ObjectType[];
  readonly #droppers: readonly PathDropper[];
  readonly #indexPaths: readonly (readonly string[])[];
  readonly #hooks: Hooks | undefined;
  readonly #cell = new CellWriter(new ScratchBuffers(CELL_BYTES));
  /** Of items that carry none. */
  #itemType: ObjectType;

  constructor(options: ObjectDecoderOptions) {
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

  /** `{…}`, of a list. */
  item(value: unknown): Decoded {
    return this.#decode('item', this.#withType(value), undefined);
  }

  /** `{type, object}` */
  event(event: unknown): Decoded {
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
}

/** Anything but a Status is an error of no class, like client-go's unexpected object. */
function statusOf(object: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(object) && object['kind'] === 'Status' && STATUS_VERSIONS.has(object['apiVersion']))
    return object;
  return { message: 'the server sent an ERROR event without a Status' };
}
