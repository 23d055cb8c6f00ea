import type { KubeObject } from '../control/kube-object.js';
import type { ResolvedServerOptions } from '../control/server-options.js';
import { equalJson } from '../json.js';
import { resourcesOf } from '../resources/custom-resource-definition.js';
import { CLEANUP_FINALIZER, establish, isEstablished } from '../resources/definition-status.js';
import { groupResourceOf, type Resource } from '../resources/resource.js';
import { metadataOf } from './metadata.js';
import type { WriteOptions } from './object-access.js';
import type { ObjectRegistry, WriteObserver } from './object-registry.js';
import { withType } from './stored-item.js';

const ALL_KEYS = { start: '', end: '\u{ffff}' };
const AS_SERVER: WriteOptions = { manager: 'kube-apiserver', isDryRun: false };
const NOW = { isDryRun: false, gracePeriodSeconds: 0, propagationPolicy: 'Background' };

/**
 * The minimum of controllers that the life cycle of objects needs: a kubelet that confirms deletions, the
 * deletion of namespaces, and the serving of CustomResourceDefinitions.
 */
export class Controllers implements WriteObserver {
  readonly #registry: ObjectRegistry;
  readonly #options: Pick<ResolvedServerOptions, 'kubeletDelayMs' | 'namespaceDelayMs'>;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    registry: ObjectRegistry,
    options: Pick<ResolvedServerOptions, 'kubeletDelayMs' | 'namespaceDelayMs'>,
  ) {
    this.#registry = registry;
    this.#options = options;
  }

  onWrite(resource: Resource, object: KubeObject, isDeleted: boolean): void {
    if (resource.isCustom) return;
    const metadata = metadataOf(object);
    const isTerminating = metadata.deletionTimestamp !== undefined;
    if (resource.kind === 'CustomResourceDefinition') {
      if (isDeleted) this.#withdraw(object);
      else if (isTerminating) this.#later(0, () => this.#emptyDefinition(object));
      else this.#serve(resource, object);
    } else if (isDeleted || !isTerminating) return;
    else if (resource.kind === 'Pod' && (metadata.deletionGracePeriodSeconds ?? 0) > 0) {
      this.#later(this.#options.kubeletDelayMs, () => this.#confirmPod(resource, object));
    } else if (resource.kind === 'Namespace') {
      this.#later(this.#options.namespaceDelayMs, () => this.#emptyNamespace(resource, metadata.name ?? ''));
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** A negative delay means never. An action that returns false is retried. */
  #later(delayMs: number, action: () => boolean): void {
    if (delayMs < 0) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!action()) this.#later(Math.max(delayMs, 20), action);
    }, delayMs);
    this.#timers.add(timer);
  }

  #confirmPod(resource: Resource, pod: KubeObject): boolean {
    const { namespace, name, uid } = metadataOf(pod);
    const target = { resource, namespace, name: name ?? '' };
    const stored = this.#registry.find(target);
    const isSame = stored !== undefined && metadataOf(stored.parse()).uid === uid;
    if (isSame) this.#registry.delete(target, NOW);
    return true;
  }

  #emptyNamespace(resource: Resource, name: string): boolean {
    const target = { resource, namespace: undefined, name };
    if (this.#registry.find(target) === undefined) return true;
    let left = 0;
    const stored = new Set<string>();
    for (const inside of this.#registry.resources.all()) {
      if (!inside.isNamespaced || stored.has(groupResourceOf(inside))) continue;
      stored.add(groupResourceOf(inside));
      left += this.#deleteAll(inside, { start: `${name}/`, end: `${name}0` });
    }
    if (left > 0) return false;
    const spec = (namespace: KubeObject): KubeObject => ({ ...namespace, spec: {} });
    this.#registry.update(target, spec, { ...AS_SERVER, subresource: 'finalize' });
    return true;
  }

  /** Returns how many objects have finalizers. */
  #deleteAll(resource: Resource, range: { start: string; end: string }): number {
    const collection = this.#registry.storage.collection(groupResourceOf(resource));
    let held = 0;
    for (const object of [...collection.scan(range.start, range.end)]) {
      const { namespace, name } = metadataOf(object.parse());
      const { isGone } = this.#registry.delete({ resource, namespace, name: name ?? '' }, NOW);
      if (!isGone) held++;
    }
    return held;
  }

  /** Updates the status a moment later; an established definition is served, and a changed one closes its watches. */
  #serve(resource: Resource, definition: KubeObject): void {
    const name = metadataOf(definition).name ?? '';
    this.#later(0, () => {
      const target = { resource, namespace: undefined, name };
      const stored = this.#registry.find(target);
      if (stored === undefined || metadataOf(stored.parse()).deletionTimestamp !== undefined) return true;
      const time = this.#registry.environment.timestamp();
      const others = this.#definitions(resource);
      const settle = (now: KubeObject): KubeObject => ({ ...now, status: establish(now, time, others) });
      this.#registry.update(target, settle, { ...AS_SERVER, subresource: 'status' });
      return true;
    });
    if (!isEstablished(definition)) return;
    const served = resourcesOf(definition);
    const isServed = (one: Resource): boolean =>
      equalJson(this.#registry.resources.lookup(one.group, one.version, one.plural), one);
    if (served.length > 0 && served.every(isServed)) return;
    this.#registry.resources.removeCustom(name);
    this.#registry.resources.addCustom(served);
    this.#registry.storage.begin(name);
    this.#registry.storage.closeListeners(name);
  }

  #definitions(resource: Resource): KubeObject[] {
    const collection = this.#registry.storage.collection(groupResourceOf(resource));
    return [...collection.scan(ALL_KEYS.start, ALL_KEYS.end)].map((stored) =>
      withType(resource, stored.parse()),
    );
  }

  #emptyDefinition(definition: KubeObject): boolean {
    const resource = this.#registry.resources.byKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const name = metadataOf(definition).name ?? '';
    if (resource === undefined) return true;
    const target = { resource, namespace: undefined, name };
    if (this.#registry.find(target) === undefined) return true;
    const [served] = resourcesOf(definition);
    if (served !== undefined && this.#deleteAll(served, ALL_KEYS) > 0) return false;
    this.#registry.update(
      target,
      (now) => {
        const metadata = metadataOf(now);
        metadata.finalizers = (metadata.finalizers ?? []).filter(
          (finalizer) => finalizer !== CLEANUP_FINALIZER,
        );
        return now;
      },
      AS_SERVER,
    );
    return true;
  }

  #withdraw(definition: KubeObject): void {
    const [served] = resourcesOf(definition);
    if (served === undefined) return;
    this.#registry.resources.removeCustom(groupResourceOf(served));
    this.#registry.storage.drop(groupResourceOf(served));
  }
}
