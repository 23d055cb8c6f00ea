/** Deployments, replica sets and jobs. */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { labelKeyProblems } from '../formats/name-formats.js';
import { equalJson, isRecord } from '../json.js';
import type { StatusCause } from '../status-error.js';
import {
  checkNotNegative,
  checkSupported,
  forbiddenValue,
  invalidValue,
  invalidValues,
  requiredValue,
  unsupportedValue,
} from './cause.js';
import { validateLabels } from './metadata-validation.js';
import { validatePodSpec } from './pod-validation.js';

const MISMATCH = '`selector` does not match template `labels`';
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

export function validateDeployment(deployment: Json): StatusCause[] {
  const spec = objectAt(deployment, 'spec');
  return [
    ...checkNotNegative('spec.replicas', spec['replicas']),
    ...validateReplication(spec, 'deployment'),
    ...validateStrategy(objectAt(spec, 'strategy')),
    ...checkNotNegative('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkNotNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']),
    ...validateProgressDeadline(spec),
  ];
}

export function validateReplicaSet(replicaSet: Json): StatusCause[] {
  const spec = objectAt(replicaSet, 'spec');
  return [
    ...checkNotNegative('spec.replicas', spec['replicas']),
    ...checkNotNegative('spec.minReadySeconds', spec['minReadySeconds']),
    ...validateReplication(spec, 'deployment'),
  ];
}

export function validateSelectorUpdate(object: Json, previous: Json): StatusCause[] {
  const selector = objectAt(object, 'spec')['selector'] ?? null;
  const before = objectAt(previous, 'spec')['selector'] ?? null;
  return equalJson(selector, before) ? [] : [invalidValue('spec.selector', selector, 'field is immutable')];
}

/** The replica counts that controllers write. */
export function validateReplicaStatus(object: Json): StatusCause[] {
  const status = objectAt(object, 'status');
  const count = (key: string): number => Number(status[key] ?? 0);
  const keys = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
  const hasTooMany = count('availableReplicas') > count('readyReplicas');
  return [
    ...['observedGeneration', 'replicas', ...keys].flatMap((key) =>
      checkNotNegative(`status.${key}`, status[key]),
    ),
    ...keys
      .filter((key) => count(key) > count('replicas'))
      .map((key) => invalidValue(`status.${key}`, count(key), 'cannot be greater than status.replicas')),
    ...(hasTooMany
      ? [
          invalidValue(
            'status.availableReplicas',
            count('availableReplicas'),
            'cannot be greater than readyReplicas',
          ),
        ]
      : []),
  ];
}

export function validateJob(job: Json): StatusCause[] {
  const spec = objectAt(job, 'spec');
  const template = objectAt(spec, 'template');
  const restartPolicy = objectAt(template, 'spec')['restartPolicy'];
  const needsCompletions = spec['completionMode'] === 'Indexed' && typeof spec['completions'] !== 'number';
  return [
    ...[
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
    ].flatMap((key) => checkNotNegative(`spec.${key}`, spec[key])),
    ...checkSupported('spec.completionMode', spec['completionMode'], ['NonIndexed', 'Indexed']),
    ...(needsCompletions ? [requiredValue('spec.completions', 'when completion mode is Indexed')] : []),
    ...validateLabels(objectAt(objectAt(template, 'metadata'), 'labels'), 'spec.template.labels'),
    ...validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec'),
    ...(restartPolicy === 'OnFailure' || restartPolicy === 'Never'
      ? []
      : [requiredValue('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]),
    ...validateJobSelector(job, spec),
  ];
}

/** The template is immutable too; the message omits Go's internal form of it. */
export function validateJobUpdate(job: Json, previous: Json): StatusCause[] {
  const spec = objectAt(job, 'spec');
  const before = objectAt(previous, 'spec');
  return ['completions', 'selector', 'template', 'completionMode'].flatMap((key) =>
    equalJson(spec[key] ?? null, before[key] ?? null)
      ? []
      : [invalidValue(`spec.${key}`, spec[key] ?? null, 'field is immutable')],
  );
}

function validateJobSelector(job: Json, spec: Json): StatusCause[] {
  const selector = objectAt(spec, 'selector');
  const uid = objectAt(job, 'metadata')['uid'];
  const generated = { matchLabels: { [CONTROLLER_UID]: uid } };
  const isCustomSelector = spec['manualSelector'] !== true && !equalJson(selector, generated);
  return [
    ...(isCustomSelector ? [invalidValue('spec.selector', selector, '`selector` not auto-generated')] : []),
    ...validateMatch(spec),
  ];
}

/** An invalid selector is the only cause: labels cannot be checked then. */
function validateReplication(spec: Json, kind: string): StatusCause[] {
  const { selector } = spec;
  if (!isRecord(selector)) return [requiredValue('spec.selector'), ...validateReplicatedTemplate(spec)];
  const causes = [
    ...validateLabels(objectAt(selector, 'matchLabels'), 'spec.selector.matchLabels'),
    ...itemsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      validateExpression(expression, `spec.selector.matchExpressions[${index}]`),
    ),
  ];
  if (causes.length > 0)
    return [...causes, invalidValue('spec.selector', selector, 'invalid label selector')];
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...(isEmpty ? [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)] : []),
    ...validateReplicatedTemplate(spec),
  ];
}

function validateExpression(expression: Json, path: string): StatusCause[] {
  const { key, operator, values } = expression;
  const count = Array.isArray(values) ? values.length : 0;
  const keyCauses = invalidValues(`${path}.key`, key, labelKeyProblems(String(key ?? '')));
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const message = "must be specified when `operator` is 'In' or 'NotIn'";
      return [...(count === 0 ? [requiredValue(`${path}.values`, message)] : []), ...keyCauses];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return [...(count > 0 ? [forbiddenValue(`${path}.values`, message)] : []), ...keyCauses];
    }
    default:
      return [
        invalidValue(`${path}.operator`, operator ?? '', 'not a valid selector operator'),
        ...keyCauses,
      ];
  }
}

function validateReplicatedTemplate(spec: Json): StatusCause[] {
  const template = objectAt(spec, 'template');
  const podSpec = objectAt(template, 'spec');
  const restartPolicy = podSpec['restartPolicy'];
  return [
    ...validateMatch(spec),
    ...validateLabels(objectAt(objectAt(template, 'metadata'), 'labels'), 'spec.template.labels'),
    ...validatePodSpec(podSpec, 'spec.template.spec'),
    ...(restartPolicy === 'Always'
      ? []
      : [unsupportedValue('spec.template.spec.restartPolicy', restartPolicy ?? '', ['Always'])]),
  ];
}

/** A missing selector matches nothing. */
function validateMatch(spec: Json): StatusCause[] {
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const isMatch = isRecord(spec['selector']) && isSelected(spec['selector'], objectAt(metadata, 'labels'));
  return isMatch ? [] : [invalidValue('spec.template.metadata.labels', metadata['labels'] ?? null, MISMATCH)];
}

function isSelected(selector: Json, labels: Json): boolean {
  const matchLabels = objectAt(selector, 'matchLabels');
  return (
    Object.keys(matchLabels).every((key) => labels[key] === matchLabels[key]) &&
    itemsAt(selector, 'matchExpressions').every(({ key, operator, values }) => {
      const label = labels[String(key)];
      const isListed = Array.isArray(values) && values.includes(label);
      if (operator === 'In') return isListed;
      if (operator === 'NotIn') return !isListed;
      return (label !== undefined) === (operator === 'Exists');
    })
  );
}

function validateStrategy(strategy: Json): StatusCause[] {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.strategy.rollingUpdate';
  switch (type) {
    case 'Recreate':
      return rollingUpdate === undefined || rollingUpdate === null
        ? []
        : [forbiddenValue(path, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate': {
      const { maxSurge, maxUnavailable } = objectAt(strategy, 'rollingUpdate');
      if (!isZero(maxSurge) || !isZero(maxUnavailable)) return [];
      return [invalidValue(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')];
    }
    default:
      return [
        unsupportedValue('spec.strategy', { Type: type ?? '', RollingUpdate: null }, [
          'Recreate',
          'RollingUpdate',
        ]),
      ];
  }
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '0%';
}

function validateProgressDeadline(spec: Json): StatusCause[] {
  const field = 'spec.progressDeadlineSeconds';
  const deadline = spec['progressDeadlineSeconds'];
  const minReady = Number(spec['minReadySeconds'] ?? 0);
  if (typeof deadline !== 'number') return [];
  if (deadline < 0) return checkNotNegative(field, deadline);
  return deadline > minReady ? [] : [invalidValue(field, deadline, 'must be greater than minReadySeconds')];
}
