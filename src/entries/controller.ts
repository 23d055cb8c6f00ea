/**
 * `kubeflect/controller`: what a controller needs beyond `runController`. A manager and leader election, helpers for
 * finalizers and owner references, predicates, and the work queue with its rate limiters (client-go's util/workqueue).
 */

export {
  addControllerReference,
  removeControllerReference,
  setControllerReference,
} from '../controller/controller-references.js';
export type { ControllerSource, OwnedSource } from '../controller/controller-source.js';
export { addFinalizer, hasFinalizer, removeFinalizer } from '../controller/finalizers.js';
export type { GuardedPatch } from '../controller/guarded-patch.js';
export { type Predicate, predicates } from '../controller/predicates.js';
export type { Priority } from '../controller/priority-lanes.js';
export {
  type BucketOptions,
  BucketRateLimiter,
  defaultControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from '../controller/rate-limiters.js';
export type { ReconcileWrites, WrittenInformer } from '../controller/reconcile.js';
export { TerminalError } from '../controller/terminal-error.js';
export { type AddOptions, WorkQueue, type WorkQueueOptions } from '../controller/work-queue.js';
export { controllerOf, isControlledBy, type OwnerReference } from '../kube/owner-reference.js';
export type { LeaderElectorOptions } from '../leader-election/elector-options.js';
export { LeaderElector } from '../leader-election/leader-elector.js';
export type { LeadershipTerm } from '../lease/leadership.js';
export { type Manager, runManager } from '../manager/manager.js';
export type { HealthOptions, ManagedController, ManagerOptions } from '../manager/manager-options.js';
export { controllerUid } from '../store/index-function.js';
