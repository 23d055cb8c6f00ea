import type { ApiServer } from './api-server.js';
import type { KubeObject } from './control/kube-object.js';
import type { RenderedSet } from './generators/rendered-set.js';
import { metadataOf } from './registry/metadata.js';
import { asItem } from './registry/stored-item.js';
import { groupResourceOf, type Resource } from './resources/resource.js';
import { RenderedObject } from './storage/rendered-object.js';
import { EncodedObject } from './storage/stored-object.js';

const TICK_MS = 20;
/** Of ten changes, eight are updates, one creates an object and one deletes such an object. */
const UPDATES = 0.8;
const CREATES = 0.9;
const MAX_CREATED = 1000;

export interface Churn {
  stop(): void;
}

/** Changes one object of a populated set, unless a client has already changed or deleted it. */
export function updateRendered(server: ApiServer, resource: Resource, set: RenderedSet, index: number): void {
  const { storage } = server.state;
  const id = groupResourceOf(resource);
  const key = set.keyAt(index);
  const now = storage.collection(id).get(key);
  if (!(now instanceof RenderedObject)) return;
  storage.put(id, key, (revision) => new RenderedObject(set, index, revision, now.mutation + 1));
}

/** Changes a populated set at a steady rate: updates its objects, and creates and deletes extra objects. */
export function startChurn(
  server: ApiServer,
  resource: Resource,
  set: RenderedSet,
  perSecond: number,
): Churn {
  const { storage, environment } = server.state;
  const id = groupResourceOf(resource);
  const created: string[] = [];
  const startedMs = environment.elapsedMs();
  let done = 0;
  let serial = 0;

  const update = (): void =>
    updateRendered(server, resource, set, Math.floor(environment.random() * set.count));
  const create = (): void => {
    const index = Math.floor(environment.random() * set.count);
    const object = JSON.parse(set.itemBytes(index, 1, 0).toString()) as KubeObject;
    const metadata = metadataOf(object);
    metadata.name = `churn-${String(serial++).padStart(9, '0')}`;
    metadata.uid = environment.uid();
    metadata.creationTimestamp = environment.timestamp();
    const key = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    storage.put(id, key, (revision) => {
      metadata.resourceVersion = String(revision);
      return new EncodedObject(key, revision, asItem(resource, object));
    });
    created.push(key);
  };
  const change = (): void => {
    const chance = environment.random();
    if (chance < UPDATES) update();
    else if (created.length === 0 || (chance < CREATES && created.length < MAX_CREATED)) create();
    else storage.delete(id, created.shift() ?? '');
  };
  const timer = setInterval(() => {
    const due = Math.floor(((environment.elapsedMs() - startedMs) / 1000) * perSecond);
    // A process that was paused does not catch up all at once.
    if (due - done > perSecond) done = due - perSecond;
    for (; done < due; done++) change();
  }, TICK_MS);
  return { stop: () => clearInterval(timer) };
}

export interface UpdateEachOptions {
  readonly resource: Resource;
  readonly set: RenderedSet;
  readonly perSecond: number;
  readonly onDone: () => void;
}

/** Changes every object of a populated set once, in random order, at a steady rate. */
export function updateEach(
  server: ApiServer,
  { resource, set, perSecond, onDone }: UpdateEachOptions,
): Churn {
  const { environment } = server.state;
  const order = shuffled(set.count, () => environment.random());
  let done = 0;
  const timer = setInterval(() => {
    const end = Math.min(order.length, done + Math.ceil((perSecond * TICK_MS) / 1000));
    for (; done < end; done++) updateRendered(server, resource, set, order[done] ?? 0);
    if (done < order.length) return;
    clearInterval(timer);
    onDone();
  }, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      onDone();
    },
  };
}

function shuffled(count: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}
