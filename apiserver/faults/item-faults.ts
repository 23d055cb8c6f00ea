import { encodeJson, parseJson } from '../json.js';
import { FRAME_EVENT_OFFSET, frameWithKind } from '../protobuf/watch-frame.js';
import type { FaultPlan } from './fault-table.js';

/** Field 0 of wire type 7: both are invalid. */
const NO_TAG = 0x07;

type Document = { kind?: string; object?: { kind?: string } };

/** Corrupts the n-th document of one response: a list item, or a watch event. */
export class ItemFaults {
  readonly #plan: FaultPlan;
  #index = 0;
  #truncatedAt = -1;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  /** If false, documents need not pass through here at all. */
  get isActive(): boolean {
    return ['wrongKind', 'invalidJson', 'truncatedJson'].some((type) =>
      this.#plan.faults.some((fault) => fault.type === type),
    );
  }

  /** If true, the body must end where it is. */
  get isTruncated(): boolean {
    return this.#truncatedAt >= 0;
  }

  /** Index of the truncated document; -1 before that. */
  get truncatedAt(): number {
    return this.#truncatedAt;
  }

  pass(document: Buffer): Buffer {
    return this.#pass(document, withKind, (corrupted) => corrupted.write('}', 0));
  }

  /** A frame of a protobuf watch. */
  passFrame(frame: Buffer): Buffer {
    return this.#pass(frame, frameWithKind, (corrupted) => corrupted.writeUInt8(NO_TAG, FRAME_EVENT_OFFSET));
  }

  /** An item of a protobuf list, which has no kind. */
  passItem(item: Buffer): Buffer {
    return this.#pass(
      item,
      () => item,
      (corrupted) => corrupted.writeUInt8(NO_TAG, 0),
    );
  }

  #pass(
    document: Buffer,
    changeKind: (document: Buffer, kind: string) => Buffer,
    corrupt: (copy: Buffer) => void,
  ): Buffer {
    const index = this.#index++;
    const wrongKind = this.#plan.get('wrongKind');
    if (wrongKind !== undefined && (wrongKind.nth ?? 0) === index) {
      return changeKind(document, wrongKind.kind ?? 'Impostor');
    }
    if (this.#isNth('invalidJson', index)) {
      const corrupted = Buffer.from(document);
      corrupt(corrupted);
      return corrupted;
    }
    if (this.#isNth('truncatedJson', index)) {
      this.#truncatedAt = index;
      return document.subarray(0, document.length >> 1);
    }
    return document;
  }

  #isNth(type: 'invalidJson' | 'truncatedJson', index: number): boolean {
    const fault = this.#plan.get(type);
    return fault !== undefined && (fault.nth ?? 0) === index;
  }
}

function withKind(document: Buffer, kind: string): Buffer {
  const value = parseJson(document.toString()) as Document;
  const isEvent = value.object !== undefined;
  const changed = isEvent
    ? { ...value, object: { ...value.object, kind } }
    : Object.assign({ kind }, value, { kind });
  return Buffer.from(encodeJson(changed) + (isEvent ? '\n' : ''));
}
