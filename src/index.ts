/**
 * `kubeflect`: what a controller author needs, listed by hand. The parts that an engine is made of are in
 * `kubeflect/cache`. `test/meta/public-names.test.ts` makes each change visible.
 */

export type { ConnectionSource } from './auth/connection-source.js';
export { inCluster } from './auth/in-cluster.js';
export { type Controller, runController } from './controller/controller.js';
export type { ControllerOptions } from './controller/controller-options.js';
export {
  addControllerReference,
  removeControllerReference,
  setControllerReference,
} from './controller/controller-references.js';
export type { ControllerSource, OwnedSource } from './controller/controller-source.js';
export { addFinalizer, hasFinalizer, removeFinalizer } from './controller/finalizers.js';
export type { GuardedPatch } from './controller/guarded-patch.js';
export { type Predicate, predicates } from './controller/predicates.js';
export { defaultControllerRateLimiter, type RateLimiter } from './controller/rate-limiters.js';
export type {
  Reconcile,
  ReconcileContext,
  ReconcileResult,
  ReconcileWrites,
  WrittenInformer,
} from './controller/reconcile.js';
export { TerminalError } from './controller/terminal-error.js';
export { WorkQueue } from './controller/work-queue.js';
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
export { FilteringEventHandler } from './informer/handlers/event-handler.js';
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
export { controllerOf, isControlledBy, type OwnerReference } from './kube/owner-reference.js';
export { ApiStatusError } from './kube/status.js';
export type { LeaderElectorOptions } from './leader-election/elector-options.js';
export { LeaderElector } from './leader-election/leader-elector.js';
export type { LeadershipTerm } from './lease/leadership.js';
export { type Manager, runManager } from './manager/manager.js';
export type { HealthOptions, ManagedController, ManagerOptions } from './manager/manager-options.js';
export type { ShardRingOptions } from './ring/ring-options.js';
export { type RingStopOptions, ShardRing } from './ring/shard-ring.js';
export type { Entry } from './store/entry.js';
export { controllerUid } from './store/index-function.js';
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
