import { type Channel, channel } from 'node:diagnostics_channel';
import type { KubeflectError } from './errors.js';

/**
 * The diagnostics channels and their messages. Subscribe with `node:diagnostics_channel`. Messages name objects by key;
 * they never contain object data or credentials.
 */
export interface DiagnosticMessages {
  /** A non-fatal error. */
  'kubeflect:error': { readonly informer: string; readonly error: KubeflectError };
  /** An informer was started. */
  'kubeflect:informer:start': { readonly informer: string };
  /** A shard of a ring was acquired, is draining, or was lost. */
  'kubeflect:ring': {
    readonly ring: string;
    readonly type: 'acquired' | 'draining' | 'lost';
    readonly shard: number;
  };
  /** The first list is in the store. */
  'kubeflect:informer:synced': { readonly informer: string; readonly objects: number };
  /** A list became visible in the store. */
  'kubeflect:informer:replaced': {
    readonly informer: string;
    readonly objects: number;
    readonly changed: number;
    readonly deleted: number;
    readonly resourceVersion: string;
  };
  /** A list was older than the store, as after a restored backup; the store has been reset to it. */
  'kubeflect:informer:reset': { readonly informer: string; readonly from: string; readonly to: string };
  /**
   * The server sent a field that the protobuf schema of this package lacks, once per resource and engine. The resource is
   * read in `encoding` from now on; in protobuf, which was asked for by name, such fields are left out.
   */
  'kubeflect:informer:encoding': {
    readonly informer: string;
    readonly apiVersion: string;
    readonly resource: string;
    readonly encoding: 'json' | 'protobuf';
    /** The number of the field, the message that it belongs to, and the path of that message. */
    readonly field: { readonly number: number; readonly message: string; readonly path: string };
  };
  /** An engine has new credentials: the first ones, changed ones, or refreshed ones after a 401. */
  'kubeflect:credentials:refreshed': { readonly reason: 'first' | 'changed' | 'unauthorized' };
  /** The connection disables verification of this server's certificate. Once per engine. */
  'kubeflect:connection:insecure': { readonly server: string };
  /** A worker thread could not be started, or was lost and is replaced. */
  'kubeflect:worker:lost': { readonly worker: number; readonly error: KubeflectError };
  /** A report of a reflector: retries, fallbacks, skipped objects. `report` is a `ReflectorReport`. */
  'kubeflect:reflector:report': { readonly informer: string; readonly report: object };
  /** This process is the leader: a term of an elector has begun. */
  'kubeflect:leader-election:started': {
    readonly name: string;
    readonly identity: string;
    readonly term: number;
  };
  /** A term has ended: `stopped` by the program, or lost for another reason. */
  'kubeflect:leader-election:stopped': {
    readonly name: string;
    readonly identity: string;
    readonly term: number;
    readonly reason: string;
  };
  /** The Lease has another holder, `leader`; empty if it has none. */
  'kubeflect:leader-election:leader': { readonly name: string; readonly leader: string };
  /** An informer has stopped completely. */
  'kubeflect:informer:stop': { readonly informer: string };
  /** A reconcile begins. A key is never reconciled concurrently, so controller and key name it until it ends. */
  'kubeflect:reconcile:start': { readonly controller: string; readonly key: string };
  /** It has ended. If it failed, its `kubeflect:error`, a `HandlerError`, comes before. */
  'kubeflect:reconcile:end': { readonly controller: string; readonly key: string; readonly tookMs: number };
}

export type DiagnosticName = keyof DiagnosticMessages;

const channels: { readonly [N in DiagnosticName]: Channel } = {
  'kubeflect:error': channel('kubeflect:error'),
  'kubeflect:informer:start': channel('kubeflect:informer:start'),
  'kubeflect:ring': channel('kubeflect:ring'),
  'kubeflect:informer:synced': channel('kubeflect:informer:synced'),
  'kubeflect:informer:replaced': channel('kubeflect:informer:replaced'),
  'kubeflect:informer:reset': channel('kubeflect:informer:reset'),
  'kubeflect:informer:encoding': channel('kubeflect:informer:encoding'),
  'kubeflect:credentials:refreshed': channel('kubeflect:credentials:refreshed'),
  'kubeflect:connection:insecure': channel('kubeflect:connection:insecure'),
  'kubeflect:worker:lost': channel('kubeflect:worker:lost'),
  'kubeflect:reflector:report': channel('kubeflect:reflector:report'),
  'kubeflect:leader-election:started': channel('kubeflect:leader-election:started'),
  'kubeflect:leader-election:stopped': channel('kubeflect:leader-election:stopped'),
  'kubeflect:leader-election:leader': channel('kubeflect:leader-election:leader'),
  'kubeflect:informer:stop': channel('kubeflect:informer:stop'),
  'kubeflect:reconcile:start': channel('kubeflect:reconcile:start'),
  'kubeflect:reconcile:end': channel('kubeflect:reconcile:end'),
};

/** The message is created only if the channel has subscribers. */
export function publish<N extends DiagnosticName>(name: N, message: () => DiagnosticMessages[N]): void {
  const { [name]: target } = channels;
  if (target.hasSubscribers) target.publish(message());
}
