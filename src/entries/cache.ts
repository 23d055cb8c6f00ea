/**
 * `kubeflect/cache`: the parts of an informer under client-go's names (tools/cache), to be put together without an
 * engine. Everything runs on the calling thread.
 */

export { FilteringEventHandler } from '../informer/handlers/event-handler.js';
export type { RemoveOptions } from '../informer/handlers/handler-registration.js';
export { SharedInformer } from '../informer/shared-informer.js';
export type {
  AddEventHandlerOptions,
  EventsOptions,
  ReflectorContext,
  RunReflector,
  SharedInformerOptions,
  StopOptions,
} from '../informer/shared-informer-options.js';
export type { Status } from '../kube/status.js';
export type {
  ExpectedObject,
  ListChunk,
  ListerWatcher,
  ListOptions,
  Rejected,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from '../reflector/lister-watcher.js';
export {
  ListerWatcherFuncs,
  type ListerWatcherFuncsOptions,
  type PlainList,
  type PlainWatchEvent,
} from '../reflector/lister-watcher-funcs.js';
export { Reflector } from '../reflector/reflector.js';
export type {
  GroupVersionKind,
  ReflectorIdentity,
  ReflectorOptions,
  WatchErrorHandler,
} from '../reflector/reflector-options.js';
export type { ReflectorReport } from '../reflector/reflector-report.js';
export { type Indexers, type IndexFunction, NAMESPACE_INDEX } from '../store/index-function.js';
export { Indexer, type IndexerOptions, type IndexReader } from '../store/indexer.js';
export type { ListerFilter, NamespaceLister } from '../store/lister.js';
export { ObjectEntry, type ObjectEntryOptions } from '../store/object-entry.js';
export type { Delta, Deltas, DeltaType } from '../store/queue/delta.js';
export {
  DeltaFIFO,
  type DeltaFIFOOptions,
  type KnownObjects,
  type PopProcess,
  RequeueError,
} from '../store/queue/delta-fifo.js';
export type { ReflectorStore } from '../store/reflector-store.js';
export {
  type BackoffManager,
  ExponentialBackoffManager,
  type ExponentialBackoffOptions,
} from '../util/backoff.js';
export type { Clock, Random } from '../util/clock.js';
