/** Validation causes, one line each. */

import type { KubeObject } from '#dist/apiserver/control/kube-object.js';
import { applyDefaults } from '#dist/apiserver/objects/defaults.js';
import { validateObject } from '#dist/apiserver/objects/validation.js';

const GROUPS: Record<string, string> = {
  Deployment: 'apps',
  ReplicaSet: 'apps',
  Job: 'batch',
  Lease: 'coordination.k8s.io',
  EndpointSlice: 'discovery.k8s.io',
  CustomResourceDefinition: 'apiextensions.k8s.io',
  Widget: 'x.io',
};

export function resourceOf(kind: string): { group: string; kind: string; isNamespaced: boolean } {
  const isNamespaced = !['Namespace', 'Node', 'CustomResourceDefinition'].includes(kind);
  return { group: GROUPS[kind] ?? '', kind, isNamespaced };
}

/** `field: message` of each cause, the long descriptions of formats cut. */
export function validationCauses(
  kind: string,
  object: KubeObject,
  previous?: KubeObject,
  subresource?: string,
): string[] {
  const resource = resourceOf(kind);
  const causes = validateObject(
    resource,
    applyDefaults(resource, object),
    previous === undefined ? undefined : applyDefaults(resource, previous),
    { subresource },
  );
  return causes.map(({ field, message }) =>
    `${field}: ${message}`.replace(/ must consist of .*| \(e\.g\. .*/s, ''),
  );
}
