/** Objects that are changed, deleted and recreated through the API by several clients at once. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ApiResponse } from '../../conformance/harness/client.js';
import { type Manifest, pod } from '../../conformance/harness/objects.js';
import { MERGE_PATCH } from '../../conformance/harness/sandbox.js';

const WRITERS = 6;
const POLL_INTERVAL_MS = 20;
/** Delay before a retry while the server is down. */
const RETRY_MS = 100;

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface ChurnOptions {
  /** At most so many objects are changed. @default 600 */
  readonly count?: number;
  /** The object that is created after a deletion. @default a pod */
  readonly object?: (name: string) => Manifest;
}

export class Churn {
  readonly #api: ApiClient;
  readonly #path: string;
  readonly #object: (name: string) => Manifest;
  readonly #places: readonly Place[];
  readonly #writers: Promise<void>[];
  #isEnding = false;
  #writes = 0;

  private constructor(
    api: ApiClient,
    path: string,
    places: readonly Place[],
    object: (name: string) => Manifest,
  ) {
    this.#api = api;
    this.#path = path;
    this.#object = object;
    this.#places = places;
    this.#writers = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer));
  }

  /** Starts to change some of the objects of a collection, of one namespace or all. */
  static async start(
    api: ApiClient,
    path: string,
    { count = 600, object = pod }: ChurnOptions = {},
  ): Promise<Churn> {
    const { status, text, json } = await api.get(path, { limit: count });
    if (status !== 200) throw new Error(`listing the objects to change failed: ${text}`);
    const places = json.items.map(({ metadata: { name, namespace = '' } }) => ({ name, namespace }));
    return new Churn(api, path, places, object);
  }

  get writes(): number {
    return this.#writes;
  }

  /** Waits until `count` more changes have been made. */
  async made(count: number): Promise<void> {
    for (const goal = this.#writes + count; this.#writes < goal; ) await sleep(POLL_INTERVAL_MS);
  }

  /** Stops, and returns the version of the last change. */
  async end(): Promise<string> {
    this.#isEnding = true;
    await Promise.all(this.#writers);
    const [first] = this.#places;
    const last = first && (await this.#change(first, randomUUID()));
    if (last?.status !== 200) throw new Error(`the last change failed: ${last?.text}`);
    return last.json.metadata.resourceVersion;
  }

  /** Every writer has its own objects, so that there are no conflicts. */
  async #write(writer: number): Promise<void> {
    const own = this.#places.filter((_, i) => i > 0 && i % WRITERS === writer);
    for (let turn = 0; !this.#isEnding; turn++) {
      const place = own[turn % own.length];
      if (place === undefined) return;
      try {
        if (turn % 4 === 3) await this.#replace(place);
        else await this.#change(place, String(turn));
        this.#writes++;
      } catch {
        // The server is down.
        await sleep(RETRY_MS);
      }
    }
  }

  #change(place: Place, value: string): Promise<ApiResponse> {
    return this.#api.request('PATCH', this.#pathOf(place), {
      headers: { 'Content-Type': MERGE_PATCH },
      body: { metadata: { annotations: { turn: value } } },
    });
  }

  async #replace(place: Place): Promise<void> {
    await this.#api.request('DELETE', this.#pathOf(place), { query: { gracePeriodSeconds: 0 } });
    await this.#api.request('POST', this.#collectionOf(place), { body: this.#object(place.name) });
  }

  #collectionOf({ namespace }: Place): string {
    if (this.#path.includes('/namespaces/')) return this.#path;
    const end = this.#path.lastIndexOf('/');
    return `${this.#path.slice(0, end)}/namespaces/${namespace}${this.#path.slice(end)}`;
  }

  #pathOf(place: Place): string {
    return `${this.#collectionOf(place)}/${place.name}`;
  }
}
