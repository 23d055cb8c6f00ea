/** Core events about pods. */

import type { Draft, DraftContext } from '../draft.js';
import { BALLAST, counterNumber, hole } from '../hole.js';
import { objectMeta } from './object-meta.js';

interface Happening {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly component: string;
  readonly message: string;
}

const HAPPENINGS: readonly Happening[] = [
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
  const happening = HAPPENINGS[context.ordinal % HAPPENINGS.length] as Happening;
  const metadata = objectMeta(context, { labels: {}, annotations: {} });
  const involvedObject = {
    kind: 'Pod',
    namespace: hole('namespace'),
    name: hole('app'),
    uid: hole('ownerUid'),
    apiVersion: 'v1',
    fieldPath: 'spec.containers{app}',
  };
  const body = {
    involvedObject,
    reason: happening.reason,
    message: `${happening.message}: ${BALLAST}`,
    source: { component: happening.component, host: hole('node') },
    firstTimestamp: hole('created'),
    lastTimestamp: hole('changed'),
    count: counterNumber('turn'),
    type: happening.type,
    eventTime: null,
    reportingComponent: happening.component,
    reportingInstance: hole('node'),
  };
  // An involved object is owned as a whole.
  return {
    object: { metadata, ...body },
    owners: [
      {
        manager: happening.component,
        operation: 'Update',
        time: hole('changed'),
        owns: { ...body, involvedObject: '' },
      },
    ],
  };
}
