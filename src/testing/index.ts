export type {
  FaultHit,
  FaultSpec,
  KubeObject,
  ObjectDigest,
  ObjectReference,
  PatchType,
  PopulateSpec,
  RequestRecord,
  ServerCounters,
} from '../../apiserver/control.js';
export type { Fault, FaultMatch, FaultType } from '../../apiserver/faults/fault.js';
export type { ServerOptions, WatchListMode } from '../../apiserver/options.js';
export { ApiServerError, type ApiServerHandle, type Faults, startApiServer } from './api-server.js';
