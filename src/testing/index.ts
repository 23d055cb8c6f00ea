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
} from '../../workers/apiserver/control.js';
export type { Fault, FaultMatch, FaultType } from '../../workers/apiserver/faults/fault.js';
export type { ServerOptions, WatchListMode } from '../../workers/apiserver/options.js';
export { ApiServerError, type ApiServerHandle, type Faults, startApiServer } from './api-server.js';
