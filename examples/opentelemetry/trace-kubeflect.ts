import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { type DiagnosticMessages, HandlerError } from 'kubeflect';

/**
 * Turns what Kubeflect publishes on its diagnostics channels into spans of OpenTelemetry: one for each reconcile, one for
 * the first list of each informer, and one for each error that belongs to neither. The function that it returns ends that.
 */
export function traceKubeflect(tracer: Tracer): () => void {
  const reconciles = new Map<string, Span>();
  const syncs = new Map<string, Span>();
  const listeners: (readonly [keyof DiagnosticMessages, ChannelListener])[] = [];

  function on<N extends keyof DiagnosticMessages>(
    name: N,
    react: (message: DiagnosticMessages[N]) => void,
  ): void {
    const listener: ChannelListener = (message) => react(message as DiagnosticMessages[N]);
    subscribe(name, listener);
    listeners.push([name, listener]);
  }

  on('kubeflect:reconcile:start', ({ controller, key }) => {
    const attributes = { 'kubeflect.controller': controller, 'kubeflect.key': key };
    reconciles.set(`${controller} ${key}`, tracer.startSpan(`reconcile ${controller}`, { attributes }));
  });
  on('kubeflect:reconcile:end', ({ controller, key }) => {
    reconciles.get(`${controller} ${key}`)?.end();
    reconciles.delete(`${controller} ${key}`);
  });
  on('kubeflect:informer:start', ({ informer }) => {
    const attributes = { 'kubeflect.informer': informer };
    syncs.set(informer, tracer.startSpan(`sync ${informer}`, { attributes }));
  });
  on('kubeflect:informer:synced', ({ informer, objects }) => {
    syncs.get(informer)?.setAttribute('kubeflect.objects', objects).end();
    syncs.delete(informer);
  });
  on('kubeflect:informer:stop', ({ informer }) => {
    syncs.get(informer)?.end();
    syncs.delete(informer);
  });
  on('kubeflect:error', ({ informer, error }) => {
    const key = error instanceof HandlerError ? `${error.handlerName} ${error.key}` : '';
    const running = reconciles.get(key) ?? syncs.get(informer);
    const span = running ?? tracer.startSpan(`error ${informer}`);
    span.setAttribute('error.type', error.code);
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    // With its cause, which is the program's own: leave this out if its messages contain secrets.
    span.recordException(error.cause instanceof Error ? error.cause : error);
    if (running === undefined) span.end();
  });

  return () => {
    for (const [name, listener] of listeners) unsubscribe(name, listener);
    for (const span of [...reconciles.values(), ...syncs.values()]) span.end();
  };
}
