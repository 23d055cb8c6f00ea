import { SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { runController } from 'kubeflect';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { traceKubeflect } from '../../examples/opentelemetry/trace-kubeflect.js';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';

let world: EngineFixture;
let exporter: InMemorySpanExporter;
let stopTracing: () => void;

beforeEach(async () => {
  world = await EngineFixture.start();
  exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  stopTracing = traceKubeflect(provider.getTracer('kubeflect'));
});
afterEach(async () => {
  stopTracing();
  await world.close();
});

const spans = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);

it('each reconcile is a span, with its failure; so is the first list of an informer', async () => {
  await world.configMap('a');
  await using _ = runController({
    informer: world.engine().informer(CONFIG_MAPS),
    name: 'copies',
    onError: () => {},
    reconcile: (_key, { retries }) => {
      if (retries === 0) throw new Error('not yet');
    },
  });
  await expect.poll(() => spans('reconcile copies').length).toBe(2);
  const [failed, succeeded] = spans('reconcile copies');
  expect(failed).toMatchObject({
    attributes: {
      'kubeflect.controller': 'copies',
      'kubeflect.key': 'default/a',
      'error.type': 'KUBEFLECT_RECONCILE_FAILED',
    },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(failed?.events[0]?.attributes).toMatchObject({ 'exception.message': 'not yet' });
  expect(succeeded).toMatchObject({ status: { code: SpanStatusCode.UNSET }, events: [] });
  expect(spans('sync configmaps')[0]?.attributes).toEqual({
    'kubeflect.informer': 'configmaps',
    'kubeflect.objects': 1,
  });
});

it('an error that belongs to no reconcile and no first list is a span of its own', async () => {
  const engine = world.engine();
  const informer = engine.informer(CONFIG_MAPS);
  informer.start();
  await informer.synced;
  void engine.threads[0]?.terminate();
  await expect.poll(() => spans('error engine')[0]?.attributes['error.type']).toBe('KUBEFLECT_WORKER_LOST');
});

it('nothing is traced any more when tracing was stopped', async () => {
  await world.configMap('a');
  stopTracing();
  let isReconciled = false;
  await using _ = runController({
    informer: world.engine().informer(CONFIG_MAPS),
    reconcile: () => {
      isReconciled = true;
    },
  });
  await expect.poll(() => isReconciled).toBe(true);
  expect(exporter.getFinishedSpans()).toEqual([]);
});
