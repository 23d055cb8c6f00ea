/** Core events about pods. */

import type { Draft, DraftContext } from '../draft.js';
import { counterNumber, PADDING, variable } from '../placeholder.js';
import { objectMeta } from './object-meta.js';

interface EventTemplate {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly component: string;
  readonly message: string;
}

const EVENT_TEMPLATES: readonly EventTemplate[] = [
  {
    reason: 'Pulled',
    type: 'Normal',
    component: 'kubelet',
    message: 'Container image already present on machine',
  },
  { reason: 'Scheduled', type: 'Normal', component: 'default-scheduler', message: 'Successfully assigned' },
  {
    reason: 'BackOff',
    type: 'Warning',
    component: 'kubelet',
    message: 'Back-off restarting failed container',
  },
  {
    reason: 'Unhealthy',
    type: 'Warning',
    component: 'kubelet',
    message: 'Readiness probe failed: <nil> & timeout',
  },
  { reason: 'Started', type: 'Normal', component: 'kubelet', message: 'Started container app' },
];

export function draftEvent(context: DraftContext): Draft {
  const event = EVENT_TEMPLATES[context.ordinal % EVENT_TEMPLATES.length] as EventTemplate;
  const metadata = objectMeta(context, { labels: {}, annotations: {} });
  const involvedObject = {
    kind: 'Pod',
    namespace: variable('namespace'),
    name: variable('app'),
    uid: variable('ownerUid'),
    apiVersion: 'v1',
    fieldPath: 'spec.containers{app}',
  };
  const body = {
    involvedObject,
    reason: event.reason,
    message: `${event.message}: ${PADDING}`,
    source: { component: event.component, host: variable('node') },
    firstTimestamp: variable('created'),
    lastTimestamp: variable('changed'),
    count: counterNumber('turn'),
    type: event.type,
    eventTime: null,
    reportingComponent: event.component,
    reportingInstance: variable('node'),
  };
  // involvedObject is atomic.
  return {
    object: { metadata, ...body },
    owners: [
      {
        manager: event.component,
        operation: 'Update',
        time: variable('changed'),
        owns: { ...body, involvedObject: '' },
      },
    ],
  };
}
