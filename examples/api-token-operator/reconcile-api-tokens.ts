import { randomBytes } from 'node:crypto';
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1Secret,
} from '@kubernetes/client-node';
import type { Engine, ReconcileContext } from 'kubeflect';
import {
  addFinalizer,
  controllerUid,
  type GuardedPatch,
  type ManagedController,
  predicates,
  removeFinalizer,
  setControllerReference,
} from 'kubeflect/controller';
import {
  type ApiToken,
  FINALIZER,
  GROUP,
  PLURAL,
  ROTATION_LABEL,
  TOKEN_LABEL,
  VERSION,
} from './api-token.js';

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/**
 * Gives each ApiToken one Secret with a random token, replaces it when `spec.rotation` is raised, and deletes the
 * Secrets before the ApiToken is gone.
 */
export function reconcileApiTokens(engine: Engine, kubeConfig: KubeConfig): ManagedController<ApiToken> {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const tokens = engine.informer<ApiToken>({
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'ApiToken',
    plural: PLURAL,
  });
  // Without their data: the operator needs only to know which there are.
  const secrets = engine.informer<V1Secret>({
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    labelSelector: TOKEN_LABEL,
    metadataOnly: true,
    indexers: { controller: controllerUid },
  });

  async function reconcile(context: ReconcileContext<ApiToken>): Promise<void> {
    const { object: token } = context;
    if (token === undefined) return;
    const owned = secrets.lister.controlledBy(token);
    if (token.metadata?.deletionTimestamp !== undefined) {
      await deleteAll(owned, context);
      await patch(token, removeFinalizer(token, FINALIZER), context);
      return;
    }
    // Before the first Secret, so that none is ever left behind.
    if (await patch(token, addFinalizer(token, FINALIZER), context)) return;

    const { rotation = 1 } = token.spec ?? {};
    const isCurrent = ({ metadata }: V1Secret): boolean =>
      metadata?.labels?.[ROTATION_LABEL] === String(rotation);
    const current = owned.find(isCurrent) ?? (await create(token, rotation, context));
    await updateStatus(token, { rotation, secretName: current.metadata?.name ?? '' }, context);
    // After the status has the name of the new one.
    await deleteAll(
      owned.filter((secret) => secret !== current),
      context,
    );
  }

  /** Its name is made by the server: nothing but the cache tells that it exists, hence `wrote`. */
  async function create(
    token: ApiToken,
    rotation: number,
    { signal, wrote }: ReconcileContext,
  ): Promise<V1Secret> {
    const { name = '', namespace = '' } = token.metadata ?? {};
    const secret: V1Secret = {
      metadata: {
        generateName: `${name}-`,
        namespace,
        labels: { [TOKEN_LABEL]: name, [ROTATION_LABEL]: String(rotation) },
      },
      immutable: true,
      stringData: { token: randomBytes(token.spec?.bytes ?? 32).toString('base64url') },
    };
    signal.throwIfAborted();
    const created = await core.createNamespacedSecret({
      namespace,
      body: setControllerReference({ ...token, apiVersion: `${GROUP}/${VERSION}`, kind: 'ApiToken' }, secret),
    });
    wrote(secrets, created);
    return created;
  }

  async function deleteAll(some: readonly V1Secret[], context: ReconcileContext): Promise<void> {
    for (const secret of some) {
      const { name = '', namespace = '', uid = '' } = secret.metadata ?? {};
      context.signal.throwIfAborted();
      try {
        const answer = await core.deleteNamespacedSecret({
          name,
          namespace,
          body: { preconditions: { uid } },
        });
        context.wroteDelete(secrets, secret, answer);
      } catch (error) {
        if (!(error instanceof ApiException && error.code === 404)) throw error;
      }
    }
  }

  /** False if there is nothing to patch. */
  async function patch(
    token: ApiToken,
    body: GuardedPatch | undefined,
    { signal, wrote }: ReconcileContext,
  ): Promise<boolean> {
    if (body === undefined) return false;
    signal.throwIfAborted();
    const patched = await custom.patchNamespacedCustomObject({ ...nameOf(token), body }, MERGE_PATCH);
    wrote(tokens, patched as ApiToken);
    return true;
  }

  async function updateStatus(
    token: ApiToken,
    wanted: { readonly rotation: number; readonly secretName: string },
    { signal, wrote }: ReconcileContext,
  ): Promise<void> {
    const status = { ...wanted, observedGeneration: token.metadata?.generation ?? 0 };
    const isRight = Object.entries(status).every(
      ([field, value]) => token.status?.[field as keyof typeof status] === value,
    );
    if (isRight) return;
    signal.throwIfAborted();
    const body = { metadata: { uid: token.metadata?.uid }, status };
    const patched = await custom.patchNamespacedCustomObjectStatus({ ...nameOf(token), body }, MERGE_PATCH);
    wrote(tokens, patched as ApiToken);
  }

  return {
    name: 'api-tokens',
    informer: tokens,
    // Not after its own writes of the status; changes of finalizers and deletions count in any case.
    predicate: predicates.generationChanged,
    owns: [{ informer: secrets }],
    concurrency: 8,
    reconcileTimeoutMs: 30_000,
    reconcile: (_key, context) => reconcile(context),
  };
}

function nameOf({ metadata: { name = '', namespace = '' } = {} }: ApiToken) {
  return { group: GROUP, version: VERSION, namespace, plural: PLURAL, name };
}
