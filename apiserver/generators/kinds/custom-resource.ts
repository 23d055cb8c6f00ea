/** Custom resources: nested maps and lists. */

import type { Draft, DraftContext } from '../draft.js';
import type { JsonObject } from '../go-json.js';
import { counterNumber, PADDING, variable } from '../placeholder.js';
import type { Random } from '../random.js';
import { appLabels, exactly, objectMeta } from './object-meta.js';

export function draftCustomResource(context: DraftContext): Draft {
  const { random } = context;
  const labels = exactly(context.spec.labels, appLabels(context), (k) => [
    `example.com/${random.word()}-${k}`,
    random.word(),
  ]);
  const annotations = exactly(context.spec.annotations, {}, (k) => [
    `${random.word()}.example.com/${random.word()}-${k}`,
    random.words(4, ' '),
  ]);
  const metadata = objectMeta(context, {
    generation: 2,
    labels,
    annotations,
    finalizers: [`finalizers.example.com/${random.word()}`],
  });
  const rules: JsonObject[] = [];
  const spec: JsonObject = {
    description: `route ${PADDING}`,
    enabled: random.chance(0.8),
    replicas: random.between(1, 9),
    rules,
    template: { metadata: { labels: { app: variable('app') } }, weight: random.int(1000) / 8 },
  };
  const status = {
    conditions: [
      {
        lastTransitionTime: variable('changed'),
        message: 'resource is <ready> & reconciled',
        observedGeneration: 2,
        reason: 'Reconciled',
        status: 'True',
        type: 'Ready',
      },
    ],
    endpoint: `http://${variable('podIp')}:8080/`,
    observedGeneration: 2,
    reconciles: counterNumber('mutation'),
  };
  const object = { metadata, spec, status };
  let missing = context.missing(object) - 40;
  while (missing > 0) {
    const added = rule(random);
    missing -= JSON.stringify(added).length + 1;
    if (missing > 0) rules.push(added);
  }
  return {
    object,
    owners: [
      {
        manager: 'kubectl-client-side-apply',
        operation: 'Update',
        time: variable('created'),
        owns: { metadata: { annotations, labels }, spec },
      },
      {
        manager: `${context.spec.kind.toLowerCase()}-operator`,
        operation: 'Update',
        time: variable('changed'),
        subresource: 'status',
        owns: { status },
      },
    ],
  };
}

function rule(random: Random): JsonObject {
  return {
    backends: [
      { name: `${random.words(2, '-')}`, port: random.between(1024, 65_535), weight: random.int(100) },
    ],
    match: {
      headers: { 'x-tenant': random.word() },
      path: `/${random.words(3, '/')}`,
      priority: random.int(50),
    },
    retries: { attempts: random.between(1, 5), perTryTimeout: `${random.between(1, 9)}s` },
    timeouts: random.chance(0.3) ? null : { idle: '60s', request: `${random.between(1, 30)}s` },
  };
}
