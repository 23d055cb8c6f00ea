/** Node leases: small, and renewed all the time. */

import type { Draft, DraftContext } from '../draft.js';
import { BALLAST, counterNumber, hole } from '../hole.js';
import { objectMeta } from './object-meta.js';

export function draftLease(context: DraftContext): Draft {
  const annotations = { 'example.com/notes': `about ${BALLAST}` };
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: hole('app'), uid: hole('ownerUid') }];
  const metadata = objectMeta(context, { labels: {}, annotations, ownerReferences });
  const spec = {
    holderIdentity: hole('name'),
    leaseDurationSeconds: 40,
    acquireTime: `${hole('createdSecond')}.000000Z`,
    // MicroTime always has six digits of fraction.
    renewTime: `${hole('changedSecond')}.000000Z`,
    leaseTransitions: counterNumber('mutation'),
  };
  return {
    object: { metadata, spec },
    owners: [
      {
        manager: 'kubelet',
        operation: 'Update',
        time: hole('changed'),
        owns: { metadata: { ownerReferences }, spec },
      },
    ],
  };
}
