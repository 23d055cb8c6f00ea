export type {
  ObjectDigest,
  PatchType,
  RequestRecord,
  ServerCounters,
} from '../../apiserver/control/control-protocol.js';
export type { Fault, FaultHit, FaultMatch, FaultSpec, FaultType } from '../../apiserver/control/fault.js';
export type { KubeObject, ObjectReference } from '../../apiserver/control/kube-object.js';
export type { PopulateSpec } from '../../apiserver/control/populate-spec.js';
export type { ServerOptions, WatchListMode } from '../../apiserver/control/server-options.js';
export { ApiServerError, type ApiServerHandle, type Faults, startApiServer } from './api-server.js';
