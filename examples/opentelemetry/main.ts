/**
 * Reconciles as OpenTelemetry spans. Needs `@opentelemetry/api` and, for this program, `@opentelemetry/sdk-trace-base`;
 * with `@opentelemetry/sdk-node` and an exporter, `traceKubeflect(trace.getTracer('kubeflect'))` is all there is to do.
 * Ends at SIGTERM.
 */

import { KubeConfig } from '@kubernetes/client-node';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { Engine } from 'kubeflect';
import { runManager } from 'kubeflect/controller';
import { traceKubeflect } from './trace-kubeflect.js';

const printer: SpanExporter = {
  export(spans, done) {
    for (const { name, attributes } of spans) {
      console.log([name, attributes['kubeflect.key'] ?? []].flat().join(' '));
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printer)] });
const stopTracing = traceKubeflect(provider.getTracer('kubeflect'));

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const engine = new Engine({ kubeConfig });
const manager = runManager({
  engine,
  controllers: [
    {
      informer: engine.informer({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' }),
      name: 'config-maps',
      reconcile: () => {},
    },
  ],
});
await manager.ended;
stopTracing();
await provider.shutdown();
