/** Namespaces, named as the namespaces of populated objects are. */

import type { Draft, DraftContext } from '../draft.js';
import { counterString, PADDING, variable } from '../placeholder.js';
import { objectMeta, TEAMS } from './object-meta.js';

export function draftNamespace(context: DraftContext): Draft {
  const { random } = context;
  const labels = {
    'kubernetes.io/metadata.name': variable('name'),
    'pod-security.kubernetes.io/enforce': random.pick(['baseline', 'restricted']),
    team: random.pick(TEAMS),
  };
  const annotations = {
    'example.com/notes': `about ${PADDING}`,
    'example.com/reviews': counterString('mutation'),
    'scheduler.alpha.kubernetes.io/node-selector': 'node.example.com/pool=general',
  };
  const metadata = objectMeta(context, { labels, annotations });
  return {
    object: { metadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    owners: [
      {
        manager: 'kubectl-create',
        operation: 'Update',
        time: variable('changed'),
        owns: { metadata: { annotations, labels } },
      },
    ],
  };
}
