import type { KubernetesObject } from '../kube/object.js';
import { onAbort } from '../util/abort.js';
import { KubeflectError } from '../util/errors.js';
import type { SharedInformer } from './shared-informer.js';
import type { StopOptions } from './shared-informer-options.js';

/** What makes two informers the same one. */
export interface InformerResource {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace?: string | readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface SharedInformerFactoryOptions<R extends InformerResource> {
  readonly create: (resource: R) => SharedInformer<KubernetesObject>;
}

/** One informer per resource and selectors, however many parts of a program ask for it. */
export class SharedInformerFactory<R extends InformerResource = InformerResource> {
  readonly #create: (resource: R) => SharedInformer<KubernetesObject>;
  readonly #informers = new Map<string, SharedInformer<KubernetesObject>>();
  #isShutDown = false;

  constructor(options: SharedInformerFactoryOptions<R>) {
    this.#create = options.create;
  }

  /** The informer of a resource, made when first asked for and not yet started. */
  informer<T extends KubernetesObject>(resource: R): SharedInformer<T> {
    const key = informerKey(resource);
    let informer = this.#informers.get(key);
    if (informer === undefined) {
      informer = this.#create(resource);
      this.#informers.set(key, informer);
    }
    return informer as unknown as SharedInformer<T>;
  }

  /** Starts those that are not started. May be called again after asking for more. */
  start(): void {
    if (this.#isShutDown) {
      throw new KubeflectError('KUBEFLECT_INFORMER_STOPPED', 'the factory was shut down; make a new one');
    }
    for (const informer of this.#informers.values()) if (!informer.isStopped) informer.start();
  }

  /** Waits for those that are started. Which of them have synced, by `informerKey`; some have not only if the signal aborted or they were stopped. */
  async waitForCacheSync(options: { readonly signal?: AbortSignal } = {}): Promise<Map<string, boolean>> {
    const started = [...this.#informers].filter(([, informer]) => informer.isStarted);
    await waitForCacheSync(
      started.map(([, informer]) => informer),
      options,
    );
    return new Map(started.map(([key, informer]) => [key, informer.hasSynced]));
  }

  /** Stops all, for good. */
  async shutdown(options: StopOptions = {}): Promise<void> {
    this.#isShutDown = true;
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop(options)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }
}

/** True when all have synced; false as soon as the signal aborts or one of them cannot sync any more. Also takes handler registrations. */
export async function waitForCacheSync(
  waitedFor: readonly { readonly hasSynced: boolean; readonly synced: Promise<void> }[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  let release = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    if (options.signal !== undefined) release = onAbort(options.signal, resolve);
  });
  const all = Promise.all(waitedFor.map((one) => one.synced)).catch(() => {});
  await Promise.race([all, aborted]);
  release();
  return waitedFor.every((one) => one.hasSynced);
}

/** The identity of an informer as text. */
export function informerKey(resource: InformerResource): string {
  const namespaces =
    typeof resource.namespace === 'string' ? [resource.namespace] : [...(resource.namespace ?? [])];
  return [
    resource.apiVersion,
    resource.plural,
    namespaces.sort().join(','),
    resource.labelSelector ?? '',
    resource.fieldSelector ?? '',
  ].join('|');
}
