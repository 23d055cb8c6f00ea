import { type HashRange, isUidInRanges } from '../../src/kube/sharding/hash-range.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { Decoded } from './decoder.js';
import { type DocumentIdentity, readJsonIdentity } from './document-identity.js';
import { readProtobufIdentity } from './protobuf/document-identity.js';
import type { ForeignObjects } from './transcoder.js';

type Document = 'item' | 'event';

const OBJECT_EVENTS: ReadonlySet<string | undefined> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

/**
 * Drops the objects of other shards of one stream before they are decoded, by the hash of the uid. A server that knows
 * `shardSelector` sends none. The module checks the documents that it decodes in runs, and this the others.
 */
export class ShardFilter {
  readonly #ranges: readonly HashRange[];
  #dropped = 0;
  #version: string | undefined;

  constructor(ranges: readonly HashRange[]) {
    this.#ranges = ranges;
  }

  /** How many objects were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The resource version of the stream's last object, if that was dropped. */
  get version(): string | undefined {
    return this.#version;
  }

  /** A run was decoded: how many objects were kept, and those that the module left out. */
  note(kept: number, { count, lastVersion }: ForeignObjects): void {
    if (kept + count === 0) return;
    this.#dropped += count;
    this.#version = lastVersion;
  }

  /** Whether the document is an object of another shard, as far as that is known before it is decoded. */
  drops(bytes: Uint8Array, document: Document, isProtobuf: boolean): boolean {
    const read = isProtobuf ? readProtobufIdentity : readJsonIdentity;
    const isEnough = document === 'event' ? isIdentifiedEvent : isIdentified;
    const { eventType, uid, resourceVersion } = read(bytes, document, isEnough);
    if (document === 'event' && !OBJECT_EVENTS.has(eventType)) return false;
    return uid !== undefined && this.#isOfOther(uid, resourceVersion);
  }

  /** The same after it was decoded: an object without uid has the hash of an empty string. */
  dropsDecoded(row: Decoded): boolean {
    if (!('cells' in row) || row.cells.uidAt(row.offset) !== '') return this.#kept();
    return this.#isOfOther('', row.cells.resourceVersionAt(row.offset)) || this.#kept();
  }

  #isOfOther(uid: string, resourceVersion: string | undefined): boolean {
    if (isUidInRanges(uid, this.#ranges)) return false;
    this.#dropped++;
    this.#version = resourceVersion;
    return true;
  }

  #kept(): false {
    this.#version = undefined;
    return false;
  }
}

export function shardFilterOf({ ranges }: DecodingOptions): ShardFilter | undefined {
  return ranges === undefined ? undefined : new ShardFilter(ranges);
}

function isIdentified({ uid, resourceVersion }: DocumentIdentity): boolean {
  return uid !== undefined && resourceVersion !== undefined;
}

function isIdentifiedEvent(identity: DocumentIdentity): boolean {
  return identity.eventType !== undefined && isIdentified(identity);
}
