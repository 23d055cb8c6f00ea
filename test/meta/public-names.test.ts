import { readFileSync } from 'node:fs';
import * as kubeflect from 'kubeflect';
import * as cache from 'kubeflect/cache';
import * as clientNode from 'kubeflect/client-node';
import * as controller from 'kubeflect/controller';
import * as sharding from 'kubeflect/sharding';
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

const VALUES = {
  kubeflect,
  'kubeflect/controller': controller,
  'kubeflect/sharding': sharding,
  'kubeflect/cache': cache,
  'kubeflect/client-node': clientNode,
  'kubeflect/testing': testing,
};

const FILES: Readonly<Record<keyof typeof VALUES, string>> = {
  kubeflect: 'index.ts',
  'kubeflect/controller': 'entries/controller.ts',
  'kubeflect/sharding': 'entries/sharding.ts',
  'kubeflect/cache': 'entries/cache.ts',
  'kubeflect/client-node': 'client-node/index.ts',
  'kubeflect/testing': 'testing/index.ts',
};

/** The main entry has the type that `engine.informer` returns; only `kubeflect/cache` has the class to construct. */
const EXPORTED_TWICE = ['SharedInformer'];

const isClass = (value: unknown): boolean =>
  typeof value === 'function' && value.toString().startsWith('class');

describe('public names', () => {
  it('are these values in kubeflect', () => {
    expect(Object.keys(kubeflect)).toMatchInlineSnapshot(`
      [
        "ApiStatusError",
        "Engine",
        "EntryError",
        "HandlerError",
        "IncompleteObjectError",
        "KubeflectError",
        "Metrics",
        "SnapshotError",
        "TransportError",
        "WorkerError",
        "compareResourceVersion",
        "inCluster",
        "keyOfObject",
        "metaNamespaceKey",
        "runController",
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
        "DeleteDetails",
        "DiagnosticMessages",
        "EngineOptions",
        "EngineStats",
        "Entry",
        "ErrorCode",
        "HandlerRegistration",
        "InformerEvent",
        "InformerHealth",
        "InformerOptions",
        "Key",
        "KubernetesObject",
        "Lister",
        "ObjectMeta",
        "Reconcile",
        "ReconcileContext",
        "ReconcileResult",
        "ResourceEventHandler",
        "SharedInformer",
        "SnapshotOptions",
        "UpdateDetails",
      ]
    `);
  });

  it('are at most 45 in kubeflect, values and types together', () => {
    expect(Object.keys(kubeflect).length + typesOf('index.ts').length).toBeLessThanOrEqual(45);
  });

  it('are these values in kubeflect/controller', () => {
    expect(Object.keys(controller)).toMatchInlineSnapshot(`
      [
        "BucketRateLimiter",
        "ItemExponentialFailureRateLimiter",
        "ItemFastSlowRateLimiter",
        "LeaderElector",
        "MaxOfRateLimiter",
        "TerminalError",
        "WithMaxWaitRateLimiter",
        "WorkQueue",
        "addControllerReference",
        "addFinalizer",
        "controllerOf",
        "controllerUid",
        "defaultControllerRateLimiter",
        "hasFinalizer",
        "isControlledBy",
        "predicates",
        "removeControllerReference",
        "removeFinalizer",
        "runManager",
        "setControllerReference",
      ]
    `);
  });

  it('are these types in kubeflect/controller', () => {
    expect(typesOf('entries/controller.ts')).toMatchInlineSnapshot(`
      [
        "AddOptions",
        "BucketOptions",
        "ControllerSource",
        "GuardedPatch",
        "HealthOptions",
        "LeaderElectorOptions",
        "LeadershipTerm",
        "ManagedController",
        "Manager",
        "ManagerOptions",
        "OwnedSource",
        "OwnerReference",
        "Predicate",
        "Priority",
        "RateLimiter",
        "ReconcileWrites",
        "WorkQueueOptions",
        "WrittenInformer",
      ]
    `);
  });

  it('are these in kubeflect/sharding', () => {
    expect([...Object.keys(sharding), ...typesOf('entries/sharding.ts')]).toMatchInlineSnapshot(`
      [
        "ShardRing",
        "RingStopOptions",
        "ShardRingOptions",
      ]
    `);
  });

  it('are these values in kubeflect/cache', () => {
    expect(Object.keys(cache)).toMatchInlineSnapshot(`
      [
        "DeltaFIFO",
        "ExponentialBackoffManager",
        "FilteringEventHandler",
        "Indexer",
        "ListerWatcherFuncs",
        "NAMESPACE_INDEX",
        "ObjectEntry",
        "Reflector",
        "RequeueError",
        "SharedInformer",
      ]
    `);
  });

  it('are these types in kubeflect/cache', () => {
    expect(typesOf('entries/cache.ts')).toMatchInlineSnapshot(`
      [
        "AddEventHandlerOptions",
        "BackoffManager",
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
      ]
    `);
  });

  it('are exported by one entry each, with one exception', () => {
    const names = Object.entries(FILES).flatMap(([entry, file]) => [
      ...Object.keys(VALUES[entry as keyof typeof VALUES]),
      ...typesOf(file),
    ]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual(EXPORTED_TWICE);
  });

  it('never mean two different classes', () => {
    const classes = Object.values(VALUES).flatMap((entry) =>
      Object.entries(entry).filter(([, value]) => isClass(value)),
    );
    const byName = new Map<string, unknown>(classes);
    for (const [name, value] of classes) expect(byName.get(name), name).toBe(value);
  });
});
