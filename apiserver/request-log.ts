import type { RequestRecord } from './control/control-protocol.js';

/** How many requests are kept. */
const KEPT = 10_000;

/** The requests of clients, newest last. */
export class RequestLog {
  #records: RequestRecord[] = [];
  #count = 0;

  /** Requests ever seen. */
  get count(): number {
    return this.#count;
  }

  add(record: Omit<RequestRecord, 'id'>): RequestRecord {
    const complete = { id: ++this.#count, ...record };
    this.#records.push(complete);
    if (this.#records.length > 2 * KEPT) this.#records = this.#records.slice(-KEPT);
    return complete;
  }

  /** Requests with a greater id. */
  after(id: number): RequestRecord[] {
    return this.#records.filter((record) => record.id > id).slice(-KEPT);
  }
}
