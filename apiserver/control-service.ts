import { createHash } from 'node:crypto';
import type { ApiServer } from './api-server.js';
import { type Churn, startChurn, updateEach } from './churn.js';
import type { ControlCall, ObjectDigest } from './control/control-protocol.js';
import type { KubeObject, ObjectReference } from './control/kube-object.js';
import type { PopulateSpec } from './control/populate-spec.js';
import { resolvePopulateSpec } from './generators/populate-spec.js';
import { RenderedSet } from './generators/rendered-set.js';
import { parseJson } from './json.js';
import { applyPatch } from './patches/patch.js';
import type { Target, WriteOptions } from './registry/object-access.js';
import { groupResourceOf, type Resource } from './resources/resource.js';
import { fullObject } from './responses/object-json.js';
import type { StoredObject } from './storage/stored-object.js';

const AS_TEST: WriteOptions = { manager: 'kubeflect-testing', isDryRun: false };
const ALL_KEYS = ['', '\u{ffff}'] as const;

/** Executes the calls of the handle, without HTTP but by the same rules. */
export class ControlService {
  readonly #server: ApiServer;
  readonly #churns: Churn[] = [];
  readonly #populated: { readonly resource: Resource; readonly set: RenderedSet }[] = [];

  constructor(server: ApiServer) {
    this.#server = server;
  }

  async call(body: ControlCall): Promise<unknown> {
    const { objects, faults, requests, state } = this.#server;
    switch (body.call) {
      case 'create': {
        const resource = this.#resource(body.object);
        const namespace = resource.isNamespaced ? (body.object.metadata?.namespace ?? 'default') : undefined;
        const stored = objects.create(resource, namespace, body.object, AS_TEST);
        if (resource.kind === 'CustomResourceDefinition') await nextTurn();
        return this.#read(resource, this.#targetOf(resource, stored));
      }
      case 'update': {
        const resource = this.#resource(body.object);
        const target = this.#target(referenceOf(body.object));
        const options =
          body.subresource === undefined ? AS_TEST : { ...AS_TEST, subresource: body.subresource };
        return parse(
          resource,
          objects.update(target, () => body.object, options),
        );
      }
      case 'patch': {
        const target = this.#target(body.target);
        const options =
          body.subresource === undefined ? AS_TEST : { ...AS_TEST, subresource: body.subresource };
        const { type, patch } = body;
        const { resource } = target;
        const apply = (object: KubeObject): KubeObject => applyPatch({ resource, type, object, patch });
        return parse(resource, objects.update(target, apply, options));
      }
      case 'delete': {
        const target = this.#target(body.target);
        const grace = body.gracePeriodSeconds;
        objects.delete(target, {
          isDryRun: false,
          ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
        });
        return undefined;
      }
      case 'get': {
        const target = this.#target(body.target);
        const stored = objects.find(target);
        return stored === undefined ? undefined : parse(target.resource, stored);
      }
      case 'digest':
        return this.#digest(this.#resource(body));
      case 'populate':
        return this.#populate(body.spec);
      case 'updateEach':
        return this.#updateEach(this.#resource(body), body.perSecond);
      case 'stopChurn':
        for (const churn of this.#churns.splice(0)) churn.stop();
        return undefined;
      case 'compact':
        state.storage.compact(
          body.resourceVersion === undefined ? state.storage.revision : Number(body.resourceVersion),
        );
        return undefined;
      case 'closeWatches':
        state.storage.closeListeners();
        return undefined;
      case 'addFault':
        return faults.add(body.spec);
      case 'removeFault':
        return faults.remove(body.id);
      case 'clearFaults':
        return faults.clear();
      case 'faultHits':
        return faults.hits();
      case 'requests':
        return requests.after(body.after ?? 0);
      case 'counters':
        return this.#server.counters();
      case 'close':
        for (const churn of this.#churns.splice(0)) churn.stop();
        await this.#server.close();
        return undefined;
    }
  }

  #resource({ apiVersion, kind }: { apiVersion?: string; kind?: string }): Resource {
    const resource = this.#server.state.registry.byKind(apiVersion ?? '', kind ?? '');
    if (resource !== undefined) return resource;
    const name = `${kind ?? '(kind missing)'} of ${apiVersion ?? '(apiVersion missing)'}`;
    throw new Error(`the embedded API server has no ${name}: create its CustomResourceDefinition first`);
  }

  #target(reference: ObjectReference): Target {
    const resource = this.#resource(reference);
    const namespace = resource.isNamespaced ? (reference.namespace ?? 'default') : undefined;
    return { resource, namespace, name: reference.name };
  }

  #targetOf(resource: Resource, stored: StoredObject): Target {
    const at = stored.key.indexOf('/');
    return at < 0
      ? { resource, namespace: undefined, name: stored.key }
      : { resource, namespace: stored.key.slice(0, at), name: stored.key.slice(at + 1) };
  }

  #read(resource: Resource, target: Target): KubeObject {
    return parse(resource, this.#server.objects.get(target));
  }

  /** sha256 over `key uid resourceVersion` lines in key order, to compare with an informer's cache. */
  async #digest(resource: Resource): Promise<ObjectDigest> {
    const { storage } = this.#server.state;
    const snapshot = storage.collection(groupResourceOf(resource)).snapshot(storage.revision);
    const hash = createHash('sha256');
    let count = 0;
    try {
      let from: string | undefined = ALL_KEYS[0];
      while (from !== undefined) {
        let next: string | undefined;
        let looked = 0;
        for (const object of snapshot.scan(from, ALL_KEYS[1])) {
          if (looked++ === 2000) {
            next = object.key;
            break;
          }
          hash.update(`${object.key} ${object.uid} ${object.revision}\n`);
          count++;
        }
        from = next;
        await nextTurn();
      }
    } finally {
      snapshot.close();
    }
    return { count, digest: hash.digest('hex'), resourceVersion: String(snapshot.revision) };
  }

  async #populate(spec: PopulateSpec): Promise<{ count: number; resourceVersion: string }> {
    const resolved = resolvePopulateSpec(spec);
    const resource = this.#resource(resolved);
    const { storage } = this.#server.state;
    const id = groupResourceOf(resource);
    const set = storage.populate(id, (firstRevision) => new RenderedSet(resolved, firstRevision));
    this.#populated.push({ resource, set });
    if (resource.isNamespaced) this.#createNamespaces(set);
    if (resolved.churnPerSecond > 0) {
      this.#churns.push(startChurn(this.#server, resource, set, resolved.churnPerSecond));
    }
    return { count: set.count, resourceVersion: String(storage.revision) };
  }

  async #updateEach(resource: Resource, perSecond: number): Promise<void> {
    const sets = this.#populated.filter((populated) => populated.resource === resource);
    const update = ({ set }: { readonly set: RenderedSet }): Promise<void> =>
      new Promise((onDone) => {
        this.#churns.push(updateEach(this.#server, { resource, set, perSecond, onDone }));
      });
    await Promise.all(sets.map(update));
  }

  #createNamespaces(set: RenderedSet): void {
    const { objects } = this.#server;
    const resource = this.#resource({ apiVersion: 'v1', kind: 'Namespace' });
    for (let index = 0, name = ''; index < set.count; index = set.lowerBound(`${name}0`)) {
      name = set.headerAt(index).namespace;
      if (objects.find({ resource, namespace: undefined, name }) !== undefined) continue;
      objects.create(resource, undefined, { metadata: { name } }, AS_TEST);
    }
  }
}

function referenceOf(object: KubeObject): ObjectReference {
  const { apiVersion = '', kind = '', metadata = {} } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  };
}

function parse(resource: Resource, stored: StoredObject): KubeObject {
  return JSON.parse(JSON.stringify(parseJson(fullObject(resource, stored).toString()))) as KubeObject;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
