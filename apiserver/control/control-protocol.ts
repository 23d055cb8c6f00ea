/** Messages between the embedded API server (a thread or child process) and its `ApiServerHandle`: plain data. */

import type { FaultSpec } from './fault.js';
import type { KubeObject, ObjectReference } from './kube-object.js';
import type { PopulateSpec } from './populate-spec.js';

/** Count and checksum of a collection: sha256 over `key uid resourceVersion` lines in byte order of keys. */
export interface ObjectDigest {
  count: number;
  digest: string;
  resourceVersion: string;
}

export type PatchType = 'merge' | 'json' | 'strategic';

/** One request as a client sent it, in the order of arrival. */
export interface RequestRecord {
  id: number;
  /** `list`, `watch`, `get`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `other`. */
  verb: string;
  method: string;
  path: string;
  query: Record<string, string>;
  userAgent: string;
  accept: string;
  acceptEncoding: string;
  httpVersion: string;
  /** The connection of the request: equal numbers mean a reused connection. */
  connection: number;
  /** Undefined until the response began. */
  status?: number;
  /** Bytes of body written so far, before compression. */
  bytes: number;
  /** Watch events written so far, bookmarks included. */
  events: number;
  /** Milliseconds since the server started. */
  startedMs: number;
  /** Undefined while the request is in progress. */
  endedMs?: number;
  /** Types of the faults that were applied to it. */
  faults: string[];
}

/** Counters since the start of the server. */
export interface ServerCounters {
  resourceVersion: string;
  compactedResourceVersion: string;
  objects: Record<string, number>;
  requests: number;
  openWatches: number;
  eventsWritten: number;
  bytesWritten: number;
  slowWatchesCut: number;
  /** Resident memory of the process that the server runs in. */
  residentBytes: number;
}

export type ControlCall =
  | { call: 'create'; object: KubeObject }
  | { call: 'update'; object: KubeObject; subresource?: string }
  | { call: 'patch'; target: ObjectReference; type: PatchType; patch: unknown; subresource?: string }
  | { call: 'delete'; target: ObjectReference; gracePeriodSeconds?: number }
  | { call: 'get'; target: ObjectReference }
  | { call: 'digest'; apiVersion: string; kind: string }
  | { call: 'populate'; spec: PopulateSpec }
  | { call: 'updateEach'; apiVersion: string; kind: string; perSecond: number }
  | { call: 'stopChurn' }
  | { call: 'compact'; resourceVersion?: string }
  | { call: 'closeWatches' }
  | { call: 'addFault'; spec: FaultSpec }
  | { call: 'removeFault'; id: number }
  | { call: 'clearFaults' }
  | { call: 'faultHits' }
  | { call: 'requests'; after?: number }
  | { call: 'counters' }
  | { call: 'close' };

export interface ControlRequest {
  id: number;
  body: ControlCall;
}

export type ControlResponse =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; status?: unknown } };

/** The first message a server sends: where it listens, or why it could not start. */
export type ServerReady = { ready: true; port: number; ca?: string } | { ready: false; error: string };
