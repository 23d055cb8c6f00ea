/** The public names of kubeflect, listed by hand. `test/meta/public-names.test.ts` makes each change visible. */

export type { ConnectionSource, IdentityRequest, TlsSource } from './auth/connection-source.js';
export type { ExecPlugin, ExecPolicy } from './auth/exec/exec-plugin.js';
export { type InClusterOptions, inCluster } from './auth/in-cluster.js';
export type { KubeConfigLike } from './auth/kube-config/kube-config.js';
export { Controller, runController } from './controller/controller.js';
export type {
  ControllerInformer,
  ControllerOptions,
  ControllerSource,
  Reconcile,
  ReconcileContext,
  ReconcileResult,
} from './controller/controller-options.js';
export { type BucketOptions, BucketRateLimiter } from './controller/rate-limiter/bucket-rate-limiter.js';
export { defaultControllerRateLimiter } from './controller/rate-limiter/default-controller-rate-limiter.js';
export { ItemExponentialFailureRateLimiter } from './controller/rate-limiter/item-exponential-failure-rate-limiter.js';
export { ItemFastSlowRateLimiter } from './controller/rate-limiter/item-fast-slow-rate-limiter.js';
export { MaxOfRateLimiter } from './controller/rate-limiter/max-of-rate-limiter.js';
export type { RateLimiter } from './controller/rate-limiter/rate-limiter.js';
export { WithMaxWaitRateLimiter } from './controller/rate-limiter/with-max-wait-rate-limiter.js';
export type { Priority } from './controller/two-lanes.js';
export { type AddOptions, WorkQueue, type WorkQueueOptions } from './controller/work-queue.js';
export type { EncodingMode } from './engine/encoding-choice.js';
export { Engine, type EngineStats, type InformerStats } from './engine/engine.js';
export type { EngineOptions } from './engine/engine-options.js';
export type {
  InformerIndexer,
  InformerOptions,
  ListFunction,
  ListMode,
  ReflectorTuning,
} from './engine/informer-options.js';
export type {
  AddDetails,
  DeleteDetails,
  ResourceEventHandler,
  UpdateDetails,
} from './informer/handlers/event-handler.js';
export type { InformerEvent } from './informer/handlers/event-stream.js';
export { FilteringEventHandler } from './informer/handlers/filtering-event-handler.js';
export type { HandlerRegistration, RemoveOptions } from './informer/handlers/handler-registration.js';
export type { HandlerHealth, InformerHealth, InformerState } from './informer/health/informer-health.js';
export { SharedInformer } from './informer/shared-informer.js';
export {
  type InformerResource,
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
  waitForCacheSync,
} from './informer/shared-informer-factory.js';
export type {
  AddEventHandlerOptions,
  EventsOptions,
  ReflectorContext,
  RunReflector,
  SharedInformerOptions,
  StopOptions,
} from './informer/shared-informer-options.js';
export { ApiStatusError } from './kube/api-status-error.js';
export { compareResourceVersion } from './kube/compare-resource-version.js';
export { type Key, keyOfObject, metaNamespaceKey, splitMetaNamespaceKey } from './kube/key.js';
export type { KubernetesObject, ObjectMeta } from './kube/object.js';
export type { Status } from './kube/status.js';
export type { RestartBackoffOptions } from './pool/restart-backoff.js';
export type { WorkerState, WorkerStats } from './pool/stream-host.js';
export {
  ListWatch,
  type ListWatchOptions,
  type PlainList,
  type PlainWatchEvent,
} from './reflector/list-watch.js';
export type {
  ExpectedObject,
  ListChunk,
  ListerWatcher,
  ListOptions,
  Rejected,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from './reflector/lister-watcher.js';
export { Reflector } from './reflector/reflector.js';
export type {
  GroupVersionKind,
  ReflectorIdentity,
  ReflectorOptions,
  WatchErrorHandler,
} from './reflector/reflector-options.js';
export type { ReflectorReport } from './reflector/reflector-report.js';
export {
  type BackoffManager,
  ExponentialBackoffManager,
  type ExponentialBackoffOptions,
} from './reflector/retry/backoff-manager.js';
export type { Entry } from './store/entry.js';
export { type Indexers, type IndexFunction, NAMESPACE_INDEX } from './store/index-function.js';
export { Indexer, type IndexerOptions, type IndexReader } from './store/indexer.js';
export { Lister, type ListerFilter, type NamespaceLister } from './store/lister.js';
export { ObjectEntry, type ObjectEntryOptions } from './store/object-entry.js';
export type { Delta, Deltas, DeltaType } from './store/queue/delta.js';
export {
  DeltaFIFO,
  type DeltaFIFOOptions,
  type KnownObjects,
  type PopProcess,
} from './store/queue/delta-fifo.js';
export { RequeueError } from './store/queue/requeue-error.js';
export type { ReflectorStore } from './store/reflector-store.js';
export type { Clock, Random } from './util/clock.js';
export type { DiagnosticMessages } from './util/diagnostics.js';
export {
  EntryError,
  type ErrorCode,
  HandlerError,
  KubeflectError,
  TransportError,
  WorkerError,
} from './util/errors.js';
export { Metrics } from './util/metrics.js';
export type { HeaderFields } from './wire/connection-settings.js';
export type { StreamLimits } from './wire/stream-task.js';
