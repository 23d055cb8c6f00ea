/**
 * `kubeflect`: an engine, its informers, and `runController`: what a first controller is written with. What it needs
 * in production is in `kubeflect/controller` and `kubeflect/sharding`; the parts that an engine is made of are in
 * `kubeflect/cache`. `test/meta/public-names.test.ts` makes each change visible.
 */

export type { ConnectionSource } from './auth/connection-source.js';
export { inCluster } from './auth/in-cluster.js';
export { type Controller, runController } from './controller/controller.js';
export type { ControllerOptions } from './controller/controller-options.js';
export type { Reconcile, ReconcileContext, ReconcileResult } from './controller/reconcile.js';
export { Engine, type EngineStats } from './engine/engine.js';
export type { EngineOptions } from './engine/engine-options.js';
export type { InformerOptions } from './engine/informer-options.js';
export type { SnapshotOptions } from './engine/snapshots/snapshot-options.js';
export type {
  AddDetails,
  DeleteDetails,
  ResourceEventHandler,
  UpdateDetails,
} from './informer/handlers/event-handler.js';
export type { InformerEvent } from './informer/handlers/event-stream.js';
export type { HandlerRegistration } from './informer/handlers/handler-registration.js';
export type { InformerHealth } from './informer/informer-health.js';
export { IncompleteObjectError } from './informer/object-for-update.js';
export type { CaughtUpOptions } from './informer/own-writes/own-writes.js';
export type { SharedInformer } from './informer/shared-informer.js';
export { waitForCacheSync } from './informer/wait-for-cache-sync.js';
export { compareResourceVersion } from './kube/compare-resource-version.js';
export { type Key, keyOfObject, metaNamespaceKey, splitMetaNamespaceKey } from './kube/key.js';
export type { KubernetesObject, ObjectMeta } from './kube/object.js';
export { ApiStatusError } from './kube/status.js';
export type { Entry } from './store/entry.js';
export type { Lister } from './store/lister.js';
export type { DiagnosticMessages } from './util/diagnostics.js';
export {
  EntryError,
  type ErrorCode,
  HandlerError,
  KubeflectError,
  SnapshotError,
  TransportError,
  WorkerError,
} from './util/errors.js';
export { Metrics } from './util/metrics.js';
