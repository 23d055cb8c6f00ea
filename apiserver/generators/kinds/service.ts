/** Services of type ClusterIP and, now and then, LoadBalancer. */

import type { Draft, DraftContext } from '../draft.js';
import type { JsonObject } from '../go-json.js';
import { counterString, PADDING, variable } from '../placeholder.js';
import { appLabels, objectMeta } from './object-meta.js';

export function draftService(context: DraftContext): Draft {
  const { random } = context;
  const isPublic = context.ordinal % 8 === 3;
  const labels = appLabels(context);
  const annotations = {
    'example.com/notes': `about ${PADDING}`,
    'example.com/reloads': counterString('mutation'),
    'prometheus.io/path': '/metrics',
  };
  const metadata = objectMeta(context, { labels, annotations });
  const ports = ['http', 'https', 'metrics'].map((name, k) => ({
    name,
    protocol: 'TCP',
    port: [80, 443, 9090][k] ?? 80,
    targetPort: [8080, 8443, 'metrics'][k] ?? 8080,
    ...(isPublic ? { nodePort: random.between(30_000, 32_767) } : {}),
  }));
  const service: JsonObject = {
    ports,
    selector: { 'app.kubernetes.io/name': variable('app') },
    clusterIP: variable('podIp'),
    clusterIPs: [variable('podIp')],
    type: isPublic ? 'LoadBalancer' : 'ClusterIP',
    sessionAffinity: 'None',
    ...(isPublic ? { externalTrafficPolicy: 'Cluster' } : {}),
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...(isPublic ? { allocateLoadBalancerNodePorts: true } : {}),
    internalTrafficPolicy: 'Cluster',
  };
  const loadBalancer: JsonObject = isPublic
    ? { ingress: [{ hostname: `${random.hex(16)}.eu-west-1.elb.amazonaws.com` }] }
    : {};
  const { clusterIP: _clusterIP, clusterIPs: _clusterIPs, ...owned } = service;
  return {
    object: { metadata, spec: service, status: { loadBalancer } },
    owners: [
      {
        manager: 'helm',
        operation: 'Update',
        time: variable('changed'),
        owns: { metadata: { annotations, labels }, spec: owned },
      },
    ],
  };
}
