import { encodeJson, parseJson } from '../json.js';
import type { FaultPlan } from './fault-table.js';

type Document = { kind?: string; object?: { kind?: string } };

/** Spoils the n-th document of one response: a list item, or a watch event. */
export class ItemFaults {
  readonly #plan: FaultPlan;
  #index = 0;
  #isTruncated = false;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  /** False: documents need not be passed through here at all. */
  get isActive(): boolean {
    return ['wrongKind', 'invalidJson', 'truncatedJson'].some((type) =>
      this.#plan.faults.some((fault) => fault.type === type),
    );
  }

  /** After this, the body is to end as it stands. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  pass(document: Buffer): Buffer {
    const index = this.#index++;
    const wrongKind = this.#plan.get('wrongKind');
    if (wrongKind !== undefined && (wrongKind.nth ?? 0) === index) {
      return withKind(document, wrongKind.kind ?? 'Impostor');
    }
    if (this.#isNth('invalidJson', index)) {
      const spoiled = Buffer.from(document);
      spoiled.write('}', 0);
      return spoiled;
    }
    if (this.#isNth('truncatedJson', index)) {
      this.#isTruncated = true;
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
