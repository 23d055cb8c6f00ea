/** Defaults of deployments, replica sets and jobs, and the labels by which a job selects its pods. */

import { equalJson } from '../json.js';
import { fillEmpty, fillMissing, type Json, objectAt, withItems, withObject } from './json-fields.js';
import { podTemplateDefaults } from './pod-defaults.js';

/** Go's MaxInt32. */
const NO_LIMIT = 2_147_483_647;

export function deploymentDefaults(deployment: Json): Json {
  const spec = objectAt(deployment, 'spec');
  const strategy = fillEmpty(objectAt(spec, 'strategy'), { type: 'RollingUpdate' });
  const rollingUpdate = fillMissing(objectAt(strategy, 'rollingUpdate'), {
    maxUnavailable: '25%',
    maxSurge: '25%',
  });
  return {
    ...deployment,
    spec: fillMissing(
      {
        ...spec,
        strategy: strategy['type'] === 'RollingUpdate' ? { ...strategy, rollingUpdate } : strategy,
        template: podTemplateDefaults(objectAt(spec, 'template')),
      },
      { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
    ),
  };
}

export function replicaSetDefaults(replicaSet: Json): Json {
  const spec = objectAt(replicaSet, 'spec');
  const template = podTemplateDefaults(objectAt(spec, 'template'));
  return { ...replicaSet, spec: fillMissing({ ...spec, template }, { replicas: 1 }) };
}

export function jobDefaults(job: Json): Json {
  const spec = objectAt(job, 'spec');
  const template = podTemplateDefaults(objectAt(spec, 'template'));
  const isSingle = isMissing(spec['parallelism']) && isMissing(spec['completions']);
  const withFailurePolicy = withObject(spec, 'podFailurePolicy', (policy) =>
    withItems(policy, 'rules', (rule) =>
      withItems(rule, 'onPodConditions', (pattern) => fillEmpty(pattern, { status: 'True' })),
    ),
  );
  return labelledByTemplate({
    ...job,
    spec: fillMissing(
      { ...withFailurePolicy, template },
      {
        ...(isSingle ? { completions: 1 } : {}),
        parallelism: 1,
        backoffLimit: isMissing(spec['backoffLimitPerIndex']) ? 6 : NO_LIMIT,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: isMissing(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed',
        manualSelector: false,
      },
    ),
  });
}

/** A job without a selector selects by its uid. */
export function withJobSelector(job: Json, uid: string): Json {
  const spec = objectAt(job, 'spec');
  if (spec['manualSelector'] === true) return job;
  const name = objectAt(job, 'metadata')['name'];
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...objectAt(metadata, 'labels'),
  };
  const selector = objectAt(spec, 'selector');
  const matchLabels = { 'batch.kubernetes.io/controller-uid': uid, ...objectAt(selector, 'matchLabels') };
  const jobMetadata = objectAt(job, 'metadata');
  // In Go, defaulted labels share one map with the template's, so labels added to the template appear in the
  // job too.
  const isShared = equalJson(objectAt(jobMetadata, 'labels'), objectAt(metadata, 'labels'));
  return labelledByTemplate({
    ...job,
    metadata: isShared ? { ...jobMetadata, labels } : jobMetadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  });
}

/** A job without labels gets those of its template. */
function labelledByTemplate(job: Json): Json {
  const labels = objectAt(objectAt(objectAt(objectAt(job, 'spec'), 'template'), 'metadata'), 'labels');
  const metadata = objectAt(job, 'metadata');
  if (Object.keys(labels).length === 0 || Object.keys(objectAt(metadata, 'labels')).length > 0) return job;
  return { ...job, metadata: { ...metadata, labels } };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
