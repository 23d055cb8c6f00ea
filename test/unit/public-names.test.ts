import { readFileSync } from 'node:fs';
import * as kubeflect from 'kubeflect';
import { expect, it } from 'vitest';

it('are these, and no others', () => {
  expect(Object.keys(kubeflect)).toMatchInlineSnapshot(`
    [
      "ApiStatusError",
      "DeltaFIFO",
      "Engine",
      "EntryError",
      "ExponentialBackoffManager",
      "FilteringEventHandler",
      "HandlerError",
      "Indexer",
      "KubeflectError",
      "ListWatch",
      "Lister",
      "Metrics",
      "NAMESPACE_INDEX",
      "ObjectEntry",
      "Reflector",
      "RequeueError",
      "SharedInformer",
      "SharedInformerFactory",
      "TransportError",
      "WorkerError",
      "compareResourceVersion",
      "keyOfObject",
      "metaNamespaceKey",
      "splitMetaNamespaceKey",
      "waitForCacheSync",
    ]
  `);
});

it('and these types', () => {
  const text = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');
  const lists = [...text.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, isType, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type ')))
      .map((name) => name.replace('type ', '')),
  );
  expect(lists.sort()).toMatchInlineSnapshot(`
    [
      "AddDetails",
      "AddEventHandlerOptions",
      "BackoffManager",
      "Clock",
      "ConnectionSettings",
      "DeleteDetails",
      "Delta",
      "DeltaFIFOOptions",
      "DeltaType",
      "Deltas",
      "DiagnosticMessages",
      "EngineOptions",
      "EngineStats",
      "Entry",
      "ErrorCode",
      "EventsOptions",
      "ExpectedObject",
      "ExponentialBackoffOptions",
      "GroupVersionKind",
      "HandlerHealth",
      "HandlerRegistration",
      "IndexFunction",
      "IndexReader",
      "IndexerOptions",
      "Indexers",
      "InformerEvent",
      "InformerHealth",
      "InformerIndexer",
      "InformerOptions",
      "InformerResource",
      "InformerState",
      "InformerStats",
      "Key",
      "KnownObjects",
      "KubeConfigLike",
      "KubernetesObject",
      "ListChunk",
      "ListFunction",
      "ListMode",
      "ListOptions",
      "ListWatchOptions",
      "ListerFilter",
      "ListerWatcher",
      "NamespaceLister",
      "ObjectEntryOptions",
      "ObjectMeta",
      "PlainList",
      "PlainWatchEvent",
      "PopProcess",
      "Random",
      "ReflectorContext",
      "ReflectorIdentity",
      "ReflectorOptions",
      "ReflectorReport",
      "ReflectorStore",
      "ReflectorTuning",
      "Rejected",
      "RemoveOptions",
      "ResourceEventHandler",
      "RestartBackoffOptions",
      "RunReflector",
      "SharedInformerFactoryOptions",
      "SharedInformerOptions",
      "Status",
      "StopOptions",
      "StreamLimits",
      "UpdateDetails",
      "WatchChunk",
      "WatchEntry",
      "WatchErrorHandler",
      "WatchOptions",
      "WorkerState",
      "WorkerStats",
    ]
  `);
});
