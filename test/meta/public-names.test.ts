import { readFileSync } from 'node:fs';
import * as kubeflect from 'kubeflect';
import * as cache from 'kubeflect/cache';
import * as clientNode from 'kubeflect/client-node';
import * as testing from 'kubeflect/testing';
import { describe, expect, it } from 'vitest';

/** The names that an entry exports as types only. */
function typesOf(entry: string): string[] {
  const source = readFileSync(new URL(`../../src/${entry}`, import.meta.url), 'utf8');
  return [...source.matchAll(/export (type )?\{([^}]*)\}/g)]
    .flatMap(([, isType, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type ')))
        .map((name) => name.replace('type ', '')),
    )
    .sort();
}

const isClass = (value: unknown): boolean =>
  typeof value === 'function' && value.toString().startsWith('class');

describe('public names', () => {
  it('are these values in kubeflect', () => {
    expect(Object.keys(kubeflect)).toMatchInlineSnapshot(`
      [
        "ApiStatusError",
        "Engine",
        "EntryError",
        "FilteringEventHandler",
        "HandlerError",
        "IncompleteObjectError",
        "KubeflectError",
        "LeaderElector",
        "Metrics",
        "ShardRing",
        "SnapshotError",
        "TerminalError",
        "TransportError",
        "WorkQueue",
        "WorkerError",
        "addControllerReference",
        "addFinalizer",
        "compareResourceVersion",
        "controllerOf",
        "controllerUid",
        "defaultControllerRateLimiter",
        "hasFinalizer",
        "inCluster",
        "isControlledBy",
        "keyOfObject",
        "metaNamespaceKey",
        "predicates",
        "removeControllerReference",
        "removeFinalizer",
        "runController",
        "runManager",
        "setControllerReference",
        "splitMetaNamespaceKey",
        "waitForCacheSync",
      ]
    `);
  });

  it('are these types in kubeflect', () => {
    expect(typesOf('index.ts')).toMatchInlineSnapshot(`
      [
        "AddDetails",
        "CaughtUpOptions",
        "ConnectionSource",
        "Controller",
        "ControllerOptions",
        "ControllerSource",
        "DeleteDetails",
        "DiagnosticMessages",
        "EngineOptions",
        "EngineStats",
        "Entry",
        "ErrorCode",
        "GuardedPatch",
        "HandlerRegistration",
        "HealthOptions",
        "InformerEvent",
        "InformerHealth",
        "InformerOptions",
        "Key",
        "KubernetesObject",
        "LeaderElectorOptions",
        "LeadershipTerm",
        "Lister",
        "ManagedController",
        "Manager",
        "ManagerOptions",
        "ObjectMeta",
        "OwnedSource",
        "OwnerReference",
        "Predicate",
        "RateLimiter",
        "Reconcile",
        "ReconcileContext",
        "ReconcileResult",
        "ReconcileWrites",
        "ResourceEventHandler",
        "RingStopOptions",
        "ShardRingOptions",
        "SharedInformer",
        "SnapshotOptions",
        "UpdateDetails",
        "WrittenInformer",
      ]
    `);
  });

  it('are about 75 in kubeflect, values and types together', () => {
    expect(Object.keys(kubeflect).length + typesOf('index.ts').length).toBeLessThanOrEqual(80);
  });

  it('are these values in kubeflect/cache', () => {
    expect(Object.keys(cache)).toMatchInlineSnapshot(`
      [
        "BucketRateLimiter",
        "DeltaFIFO",
        "ExponentialBackoffManager",
        "Indexer",
        "ItemExponentialFailureRateLimiter",
        "ItemFastSlowRateLimiter",
        "ListerWatcherFuncs",
        "MaxOfRateLimiter",
        "NAMESPACE_INDEX",
        "ObjectEntry",
        "Reflector",
        "RequeueError",
        "SharedInformer",
        "WithMaxWaitRateLimiter",
      ]
    `);
  });

  it('are these types in kubeflect/cache', () => {
    expect(typesOf('cache/index.ts')).toMatchInlineSnapshot(`
      [
        "AddEventHandlerOptions",
        "AddOptions",
        "BackoffManager",
        "BucketOptions",
        "Clock",
        "Delta",
        "DeltaFIFOOptions",
        "DeltaType",
        "Deltas",
        "EventsOptions",
        "ExpectedObject",
        "ExponentialBackoffOptions",
        "GroupVersionKind",
        "IndexFunction",
        "IndexReader",
        "IndexerOptions",
        "Indexers",
        "KnownObjects",
        "ListChunk",
        "ListOptions",
        "ListerFilter",
        "ListerWatcher",
        "ListerWatcherFuncsOptions",
        "NamespaceLister",
        "ObjectEntryOptions",
        "PlainList",
        "PlainWatchEvent",
        "PopProcess",
        "Priority",
        "Random",
        "ReflectorContext",
        "ReflectorIdentity",
        "ReflectorOptions",
        "ReflectorReport",
        "ReflectorStore",
        "Rejected",
        "RemoveOptions",
        "RunReflector",
        "SharedInformerOptions",
        "Status",
        "StopOptions",
        "WatchChunk",
        "WatchEntry",
        "WatchErrorHandler",
        "WatchOptions",
        "WorkQueueOptions",
      ]
    `);
  });

  it('never mean two different classes', () => {
    const classes = [kubeflect, cache, clientNode, testing].flatMap((entry) =>
      Object.entries(entry).filter(([, value]) => isClass(value)),
    );
    const byName = new Map<string, unknown>(classes);
    for (const [name, value] of classes) expect(byName.get(name), name).toBe(value);
  });
});
