/** The builder of each kind. */

import type { DraftBuilder } from './draft.js';
import type { KindProfile } from './kind-profile.js';
import { draftConfigMap } from './kinds/config-map.js';
import { draftCustomResource } from './kinds/custom-resource.js';
import { draftEndpointSlice, draftEndpoints } from './kinds/endpoints.js';
import { draftEvent } from './kinds/event.js';
import { draftLease } from './kinds/lease.js';
import { draftNamespace } from './kinds/namespace.js';
import { draftNode } from './kinds/node.js';
import { draftPod } from './kinds/pod.js';
import { draftSecret } from './kinds/secret.js';
import { draftService } from './kinds/service.js';
import { draftDeployment, draftJob, draftReplicaSet } from './kinds/workload.js';

const TYPED: Readonly<Record<string, DraftBuilder>> = {
  ConfigMap: draftConfigMap,
  Deployment: draftDeployment,
  EndpointSlice: draftEndpointSlice,
  Endpoints: draftEndpoints,
  Event: draftEvent,
  Job: draftJob,
  Lease: draftLease,
  Namespace: draftNamespace,
  Node: draftNode,
  Pod: draftPod,
  ReplicaSet: draftReplicaSet,
  Secret: draftSecret,
  Service: draftService,
};

export function kindBuilder(profile: KindProfile): DraftBuilder {
  if (profile.origin === 'custom') return draftCustomResource;
  const builder = TYPED[profile.kind];
  if (builder === undefined) {
    throw new Error(`no builder for ${profile.kind}, which has a profile; this is a bug in the generators`);
  }
  return builder;
}
