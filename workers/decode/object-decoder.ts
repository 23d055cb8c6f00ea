import { type PathDropper, pathDropper } from '../../src/kube/drop-path.js';
import { itemTypeOf, type ObjectType, withType } from '../../src/kube/item-type.js';
import { isRecord } from '../../src/kube/object.js';
import { checkObject } from '../../src/kube/object-check.js';
import { statusOfErrorEvent } from '../../src/kube/status.js';
import { CellWriter, type RowHeader, type RowType } from '../../src/wire/cells.js';
import { ScratchBuffers } from '../../src/wire/scratch-buffers.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import { acceptedTypes } from './accepted-types.js';
import { decodeBookmark } from './bookmark.js';
import type { Decoded } from './decoder.js';
import type { Hooks } from './hooks.js';
import { IndexValues } from './index-values.js';
import { rejectParsed } from './rejected-object.js';

export interface ObjectDecoderOptions {
  readonly decoding: DecodingOptions;
  /** See src/wire/object-packer.ts. The bytes are borrowed: valid until the next call. */
  readonly packer: { pack(object: unknown): Uint8Array };
  readonly hooks?: Hooks | undefined;
}

/** An object that passed `checkObject`. */
interface CheckedObject extends ObjectType {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: unknown;
    readonly resourceVersion: string;
  };
}

const ROW_TYPES: ReadonlyMap<unknown, 'added' | 'modified' | 'deleted'> = new Map([
  ['ADDED', 'added'],
  ['MODIFIED', 'modified'],
  ['DELETED', 'deleted'],
]);

/** Larger than almost every object. */
const CELL_BYTES = 16 * 1024;

/**
 * Turns a parsed object into a cell. The steps, in order: type check, `drop` paths, the user's check and transform,
 * index values, packing.
 */
export class ObjectDecoder {
  readonly #options: ObjectDecoderOptions;
  readonly #type: ObjectType;
  readonly #accepted: readonly ObjectType[];
  readonly #droppers: readonly PathDropper[];
  readonly #indexValues: IndexValues;
  readonly #hooks: Hooks | undefined;
  readonly #cell = new CellWriter(new ScratchBuffers(CELL_BYTES));
  /** The type of items that do not carry one. */
  #itemType: ObjectType;

  constructor(options: ObjectDecoderOptions) {
    const { decoding, hooks } = options;
    const { apiVersion, kind } = decoding;
    this.#options = options;
    this.#type = { kind, apiVersion };
    this.#itemType = this.#type;
    this.#accepted = acceptedTypes(decoding);
    this.#droppers = decoding.drop.map(pathDropper);
    this.#indexValues = new IndexValues(decoding.indexPaths, hooks);
    this.#hooks = hooks;
  }

  beginList(head: ListHead): void {
    this.#itemType = itemTypeOf(head) ?? this.#type;
  }

  /** `{…}`, of a list. */
  item(value: unknown): Decoded {
    return this.#decode('item', withType(value, this.#itemType), undefined);
  }

  /** `{type, object}` */
  event(event: unknown): Decoded {
    const { type, object } = isRecord(event) ? event : {};
    if (type === 'ERROR')
      return { type: 'error', status: statusOfErrorEvent(object) as Readonly<Record<string, unknown>> };
    if (type === 'BOOKMARK') return decodeBookmark(object, this.#accepted);
    const eventType = typeof type === 'string' ? type : undefined;
    const rowType = ROW_TYPES.get(type);
    if (rowType !== undefined) return this.#decode(rowType, object, eventType);
    const message = 'unable to understand a watch event of an unknown type';
    return rejectParsed('unknown-event', message, object, eventType);
  }

  #decode(type: RowType, value: unknown, eventType: string | undefined): Decoded {
    const problem = checkObject(value, this.#accepted, 'object');
    if (problem !== undefined) return rejectParsed(problem.reason, problem.message, value, eventType);
    const object = this.#inForm(value as CheckedObject);
    const { namespace = '', name, uid, resourceVersion } = object.metadata;
    for (const drop of this.#droppers) drop(object);
    let kept: object = object;
    let indexValues: readonly (readonly string[])[];
    try {
      // A deletion is a fact about a key: rejecting it would keep the object forever.
      if (type !== 'deleted') this.#hooks?.check(kept);
      if (this.#hooks !== undefined)
        kept = { kind: object.kind, apiVersion: object.apiVersion, ...this.#hooks.transform(kept) };
      indexValues = this.#indexValues.of(kept);
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
      // JSON can always be packed, so a hook has added something else.
      const message = 'transform returned a value that JSON cannot represent';
      return rejectParsed('hook', message, { metadata: { namespace, name, resourceVersion } }, eventType);
    }
  }

  #cellOf(header: RowHeader, payload: Uint8Array): Decoded {
    this.#cell.clear();
    this.#cell.write(header, payload);
    return { cells: this.#cell.cells, offset: 0 };
  }

  #inForm(object: CheckedObject): CheckedObject {
    if (this.#options.decoding.form === 'object') return object;
    return { ...this.#type, metadata: object.metadata };
  }
}
