import type { KubeObject } from '../control/kube-object.js';
import type { Environment } from '../environment.js';
import { cloneJson, equalJson } from '../json.js';
import { withoutTimes } from '../objects/managed-fields.js';
import { groupResourceOf, type Resource } from '../resources/resource.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import { conflict, invalid, notFound, STALE_OBJECT, unreadableVersion } from '../status-error.js';
import type { Storage } from '../storage/storage.js';
import { EncodedObject, type StoredObject } from '../storage/stored-object.js';
import { type DeleteOptions, planDeletion } from './deletion.js';
import { isReadyToGo, metadataOf } from './metadata.js';
import { keyOf, type ObjectAccess, type Target, type WriteOptions } from './object-access.js';
import { prepareForCreate } from './prepare-create.js';
import { isSpecChanged, prepareForUpdate } from './prepare-update.js';
import { asItem, withType } from './stored-item.js';

/** The etcd folders of resources that are not stored under their plural. */
const STORAGE_FOLDERS: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
};

/** Notified after each write, for the built-in controllers. */
export interface WriteObserver {
  onWrite(resource: Resource, object: KubeObject, isDeleted: boolean): void;
}

/** Creates, updates and deletes objects, for HTTP requests and control calls alike. */
export class ObjectRegistry implements ObjectAccess {
  readonly storage: Storage;
  readonly resources: ResourceRegistry;
  readonly environment: Environment;
  readonly #observers: WriteObserver[] = [];

  constructor(storage: Storage, resources: ResourceRegistry, environment: Environment) {
    this.storage = storage;
    this.resources = resources;
    this.environment = environment;
  }

  observe(observer: WriteObserver): void {
    this.#observers.push(observer);
  }

  find({ resource, namespace, name }: Target): StoredObject | undefined {
    return this.storage.collection(groupResourceOf(resource)).get(keyOf(namespace, name));
  }

  get(target: Target): StoredObject {
    const stored = this.find(target);
    if (stored === undefined) throw notFound(target.resource, target.name);
    return stored;
  }

  create(
    resource: Resource,
    namespace: string | undefined,
    received: KubeObject,
    options: WriteOptions,
  ): StoredObject {
    const object = prepareForCreate(this, resource, namespace, received, options);
    return this.#put(resource, object, undefined, options);
  }

  /** A PUT to a name that does not exist: see `Resource.allowsCreateOnUpdate`. */
  createOnUpdate(target: Target, received: KubeObject, options: WriteOptions): StoredObject {
    this.#checkUid(target, received, '');
    return this.create(target.resource, target.namespace, received, options);
  }

  /** `change` receives a copy of the current object, with kind and apiVersion, and returns the object to store. */
  update(target: Target, change: (current: KubeObject) => KubeObject, options: WriteOptions): StoredObject {
    const { resource } = target;
    const stored = this.get(target);
    const current = withType(resource, stored.parse());
    const received = change(cloneJson(current));
    this.#checkVersion(target, received, current);
    const next = prepareForUpdate(this, resource, received, current, options);
    if (isReadyToGo(next)) {
      if (!options.isDryRun) this.#remove(resource, stored.key, next);
      return new EncodedObject(stored.key, stored.revision, asItem(resource, next));
    }
    if (
      options.subresource === undefined &&
      isSpecChanged(resource, asItem(resource, next), asItem(resource, current))
    ) {
      metadataOf(next).generation = Number(metadataOf(current).generation ?? 0) + 1;
    }
    return this.#put(resource, next, { stored, current }, options);
  }

  /** Returns the last state of the object, and whether it was removed. */
  delete(target: Target, options: DeleteOptions): { object: StoredObject; isGone: boolean } {
    const { resource } = target;
    const stored = this.get(target);
    const current = withType(resource, stored.parse());
    const plan = planDeletion(resource, current, options, this.environment);
    if (options.isDryRun || plan.kind === 'keep') return { object: stored, isGone: plan.kind === 'remove' };
    const marked = plan.marked === undefined ? stored : this.#write(resource, stored.key, plan.marked);
    if (plan.kind === 'mark') return { object: marked, isGone: false };
    return { object: this.#remove(resource, stored.key, plan.marked ?? current), isGone: true };
  }

  #checkVersion({ resource, name }: Target, received: KubeObject, current: KubeObject): void {
    const asked = metadataOf(received);
    const now = metadataOf(current);
    const version = asked.resourceVersion ?? '';
    if (version === '' || version === '0') {
      if (resource.allowsUnconditionalUpdate) asked.resourceVersion = now.resourceVersion ?? '';
      else {
        throw invalid(resource.group, resource.plural, name, [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ]);
      }
    } else if (!/^[0-9]+$/.test(version)) {
      throw unreadableVersion(version);
    } else if (version !== now.resourceVersion) {
      throw conflict(resource, name, STALE_OBJECT);
    }
    this.#checkUid({ resource, name, namespace: now.namespace ?? '' }, received, now.uid ?? '');
  }

  /** A uid that the client sends is a precondition. `uid` is empty if there is no such object. */
  #checkUid({ resource, namespace, name }: Target, received: KubeObject, uid: string): void {
    const { uid: asked = '' } = metadataOf(received);
    if (asked === '' || asked === uid) return;
    const key = `/registry/${storageFolder(resource)}/${keyOf(namespace, name)}`;
    throw conflict(
      resource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${asked}, UID in object meta: ${uid}`,
    );
  }

  #put(
    resource: Resource,
    next: KubeObject,
    previous: { stored: StoredObject; current: KubeObject } | undefined,
    options: WriteOptions,
  ): StoredObject {
    const metadata = metadataOf(next);
    if (previous !== undefined) {
      const [before, after] = [previous.current, next].map((object) =>
        asItem(resource, withoutTimes(object)),
      );
      if (equalJson(before, after)) return previous.stored;
    }
    const key = keyOf(metadata.namespace, metadata.name ?? '');
    if (options.isDryRun) {
      if (previous === undefined) delete metadata.resourceVersion;
      return new EncodedObject(key, this.storage.revision, asItem(resource, next));
    }
    return this.#write(resource, key, next);
  }

  #write(resource: Resource, key: string, object: KubeObject): StoredObject {
    const stored = this.storage.put(groupResourceOf(resource), key, (revision) => {
      metadataOf(object).resourceVersion = String(revision);
      return new EncodedObject(key, revision, asItem(resource, object));
    });
    this.#notify(resource, object, false);
    return stored;
  }

  #remove(resource: Resource, key: string, last: KubeObject): StoredObject {
    const deleted = this.storage.delete(groupResourceOf(resource), key);
    if (deleted === undefined) throw notFound(resource, metadataOf(last).name ?? '');
    this.#notify(resource, last, true);
    return deleted;
  }

  #notify(resource: Resource, object: KubeObject, isDeleted: boolean): void {
    for (const observer of this.#observers) observer.onWrite(resource, object, isDeleted);
  }
}

function storageFolder(resource: Resource): string {
  const hasGroup = resource.isCustom || resource.group === 'apiextensions.k8s.io';
  return hasGroup
    ? `${resource.group}/${resource.plural}`
    : (STORAGE_FOLDERS[resource.plural] ?? resource.plural);
}
