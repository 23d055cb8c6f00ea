/** Endpoints and EndpointSlices: the ready pods behind a service. */

import type { Draft, DraftContext } from '../draft.js';
import type { JsonObject } from '../go-json.js';
import type { FieldOwner } from '../managed-fields.js';
import { PADDING, variable } from '../placeholder.js';
import type { Random } from '../random.js';
import { appLabels, objectMeta } from './object-meta.js';

export function draftEndpoints(context: DraftContext): Draft {
  const { random } = context;
  const labels = appLabels(context);
  const annotations = {
    'endpoints.kubernetes.io/last-change-trigger-time': variable('changed'),
    'example.com/notes': `about ${PADDING}`,
  };
  const metadata = objectMeta(context, { labels, annotations });
  const addresses: JsonObject[] = [
    {
      ip: variable('podIp'),
      nodeName: variable('node'),
      targetRef: {
        kind: 'Pod',
        namespace: variable('namespace'),
        name: `${variable('app')}-0`,
        uid: variable('ownerUid'),
      },
    },
  ];
  const ports = [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'metrics', port: 9090, protocol: 'TCP' },
  ];
  const object = { metadata, subsets: [{ addresses, ports }] };
  addMembers(context, object, addresses, (k) => ({
    ip: address(random),
    nodeName: node(random),
    targetRef: {
      kind: 'Pod',
      namespace: variable('namespace'),
      name: `${variable('app')}-${k}`,
      uid: random.uuid(),
    },
  }));
  return { object, owners: controllerOwns({ metadata: { annotations, labels }, subsets: [] }) };
}

export function draftEndpointSlice(context: DraftContext): Draft {
  const { random } = context;
  const labels = {
    ...appLabels(context),
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    'kubernetes.io/service-name': variable('app'),
  };
  const annotations = {
    'endpoints.kubernetes.io/last-change-trigger-time': variable('changed'),
    'example.com/notes': `about ${PADDING}`,
  };
  const ownerReferences = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      name: variable('app'),
      uid: variable('ownerUid'),
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  const metadata = objectMeta(context, {
    generateName: `${variable('app')}-`,
    generation: 1,
    labels,
    annotations,
    ownerReferences,
  });
  const endpoint = (ip: string, nodeName: string, name: string, uid: string): JsonObject => ({
    addresses: [ip],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: 'Pod', namespace: variable('namespace'), name, uid },
    nodeName,
    zone: `eu-west-1${random.pick(['a', 'b', 'c'])}`,
  });
  const endpoints = [endpoint(variable('podIp'), variable('node'), `${variable('app')}-0`, random.uuid())];
  const ports = [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'metrics', port: 9090, protocol: 'TCP' },
  ];
  const object = { metadata, addressType: 'IPv4', endpoints, ports };
  addMembers(context, object, endpoints, (k) =>
    endpoint(address(random), node(random), `${variable('app')}-${k}`, random.uuid()),
  );
  const owned = {
    addressType: '',
    endpoints: [],
    metadata: { annotations, generateName: '', labels, ownerReferences },
    ports: [],
  };
  return { object, owners: controllerOwns(owned) };
}

function controllerOwns(owns: JsonObject): FieldOwner[] {
  return [{ manager: 'kube-controller-manager', operation: 'Update', time: variable('changed'), owns }];
}

function addMembers(
  context: DraftContext,
  object: JsonObject,
  members: JsonObject[],
  make: (ordinal: number) => JsonObject,
): void {
  let missing = context.missing(object) - 60;
  for (let k = 1; ; k++) {
    const member = make(k);
    // The two placeholders are rendered as `ns-0000` and `svc-00000`.
    missing -= JSON.stringify(member).length + 16;
    if (missing < 0) break;
    members.push(member);
  }
}

function address(random: Random): string {
  return `10.${random.between(128, 255)}.${random.between(100, 255)}.${random.between(100, 255)}`;
}

function node(random: Random): string {
  return `node-${String(random.int(100)).padStart(5, '0')}`;
}
