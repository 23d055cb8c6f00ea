import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type Entry, type KubernetesObject, type ObjectMeta, type SharedInformer } from 'kubeflect';
import {
  type ApiToken,
  GROUP,
  PLURAL,
  ROTATION_LABEL,
  TOKEN_LABEL,
  VERSION,
} from '../../../examples/api-token-operator/api-token.js';
import type { OperatorTarget } from './operator-target.js';

interface Labelled extends KubernetesObject {
  metadata?: ObjectMeta & { labels?: Readonly<Record<string, string>> };
}

/** Whether the status of a token fits what is wanted of it. */
export function isFinished({ metadata, spec, status }: ApiToken): boolean {
  return status?.observedGeneration === metadata?.generation && status?.rotation === spec?.rotation;
}

/**
 * What the operator has done so far, by watches: to list everything again and again would take the time of the API
 * server. Also knows every Secret that was ever created, those that the operator has cleaned up, too.
 */
export class ObservedObjects implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #tokens: SharedInformer<ApiToken>;
  readonly #secrets: SharedInformer<Labelled>;
  /** The rotations of the tokens whose status fits what is wanted of them, by key. */
  readonly #finished = new Map<string, number>();
  /** Token and rotation → uids. */
  readonly #created = new Map<string, Set<string>>();

  private constructor({ kubeConfigFile, namespace }: OperatorTarget) {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(kubeConfigFile);
    this.#engine = new Engine({ kubeConfig, workers: 1 });
    this.#tokens = this.#engine.informer<ApiToken>({
      apiVersion: `${GROUP}/${VERSION}`,
      kind: 'ApiToken',
      plural: PLURAL,
      namespace,
    });
    this.#secrets = this.#engine.informer<Labelled>({
      apiVersion: 'v1',
      kind: 'Secret',
      plural: 'secrets',
      namespace,
      labelSelector: TOKEN_LABEL,
      metadataOnly: true,
    });
    this.#tokens.addEventHandler({
      onAdd: (entry) => this.#observe(entry),
      onUpdate: (_, entry) => this.#observe(entry),
      onDelete: ({ key }) => void this.#finished.delete(key),
    });
    this.#secrets.addEventHandler({
      onAdd: ({ uid, object }) => {
        const { [TOKEN_LABEL]: token, [ROTATION_LABEL]: rotation } = object.metadata?.labels ?? {};
        const id = `${token} ${rotation}`;
        this.#created.set(id, (this.#created.get(id) ?? new Set()).add(uid));
      },
    });
  }

  static async open(target: OperatorTarget): Promise<ObservedObjects> {
    const observed = new ObservedObjects(target);
    for (const informer of [observed.#tokens, observed.#secrets]) informer.start();
    await Promise.all([observed.#tokens.synced, observed.#secrets.synced]);
    return observed;
  }

  get tokens(): number {
    return this.#tokens.indexer.size;
  }

  get secrets(): number {
    return this.#secrets.indexer.size;
  }

  /** How many tokens have a status that fits what is wanted of them. */
  get finished(): number {
    return this.#finished.size;
  }

  /** Whether one of them has this rotation. */
  hasRotated(rotation: number): boolean {
    return [...this.#finished.values()].includes(rotation);
  }

  /** The tokens and rotations that ever had more than one Secret. */
  get repeated(): string[] {
    return [...this.#created].filter(([, uids]) => uids.size > 1).map(([id]) => id);
  }

  /** How many tokens and rotations ever had one. */
  get created(): number {
    return this.#created.size;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#engine.close();
  }

  #observe({ key, object }: Entry<ApiToken>): void {
    if (isFinished(object)) this.#finished.set(key, object.status?.rotation ?? 0);
    else this.#finished.delete(key);
  }
}
