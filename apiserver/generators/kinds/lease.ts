/** Node leases: small, and renewed constantly. */

import type { Draft, DraftContext } from '../draft.js';
import { counterNumber, PADDING, variable } from '../placeholder.js';
import { objectMeta } from './object-meta.js';

export function draftLease(context: DraftContext): Draft {
  const annotations = { 'example.com/notes': `about ${PADDING}` };
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'Node', name: variable('app'), uid: variable('ownerUid') },
  ];
  const metadata = objectMeta(context, { labels: {}, annotations, ownerReferences });
  const spec = {
    holderIdentity: variable('name'),
    leaseDurationSeconds: 40,
    acquireTime: `${variable('createdSecond')}.000000Z`,
    // MicroTime always has six digits of fraction.
    renewTime: `${variable('changedSecond')}.000000Z`,
    leaseTransitions: counterNumber('mutation'),
  };
  return {
    object: { metadata, spec },
    owners: [
      {
        manager: 'kubelet',
        operation: 'Update',
        time: variable('changed'),
        owns: { metadata: { ownerReferences }, spec },
      },
    ],
  };
}
