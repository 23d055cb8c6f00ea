/**
 * The defaults that kube-apiserver fills in whenever it decodes an object of a built-in kind: on create, update
 * and patch.
 */

import type { KubeObject } from '../control/kube-object.js';
import {
  fillEmpty,
  fillMissing,
  itemsAt,
  type Json,
  objectAt,
  withItems,
  withObject,
} from '../defaults/json-fields.js';
import { podDefaults } from '../defaults/pod-defaults.js';
import { serviceDefaults } from '../defaults/service-defaults.js';
import { deploymentDefaults, jobDefaults, replicaSetDefaults } from '../defaults/workload-defaults.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';

/** By the name of the Go struct. */
const DEFAULTS: Readonly<Record<string, (object: Json) => Json>> = {
  Pod: podDefaults,
  Service: serviceDefaults,
  Secret: secretDefaults,
  Namespace: namespaceDefaults,
  Node: nodeDefaults,
  Endpoints: endpointsDefaults,
  'apps.Deployment': deploymentDefaults,
  'apps.ReplicaSet': replicaSetDefaults,
  'batch.Job': jobDefaults,
  'discovery.EndpointSlice': endpointSliceDefaults,
  'apiextensions.CustomResourceDefinition': definitionDefaults,
};

/**
 * Idempotent; does not change `object`. Objects of kinds without defaults, such as custom resources, are returned
 * unchanged.
 */
export function applyDefaults(resource: Pick<Resource, 'group' | 'kind'>, object: KubeObject): KubeObject {
  const struct = structOfKind(resource);
  const fill = struct === undefined ? undefined : DEFAULTS[struct];
  return fill === undefined ? object : (fill(object) as KubeObject);
}

/** `stringData` is write-only: it is merged into `data` and not stored. */
function secretDefaults(secret: Json): Json {
  const { stringData, ...rest } = secret;
  const filled = fillEmpty(rest, { type: 'Opaque' });
  if (stringData === undefined || stringData === null) return filled;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  return { ...filled, data: { ...objectAt(secret, 'data'), ...Object.fromEntries(encoded) } };
}

function namespaceDefaults(namespace: Json): Json {
  const filled = {
    ...namespace,
    status: fillEmpty(objectAt(namespace, 'status'), { phase: 'Active' }),
  };
  const metadata = objectAt(namespace, 'metadata');
  if (!metadata['name']) return filled;
  const labels = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': metadata['name'] };
  return { ...filled, metadata: { ...metadata, labels } };
}

function nodeDefaults(node: Json): Json {
  const withCidrs = withObject(node, 'spec', (spec) =>
    spec['podCIDR'] ? fillMissing(spec, { podCIDRs: [spec['podCIDR']] }) : spec,
  );
  return withObject(withCidrs, 'status', (status) =>
    fillMissing(status, { allocatable: status['capacity'] }),
  );
}

function endpointsDefaults(endpoints: Json): Json {
  return withItems(endpoints, 'subsets', (subset) =>
    withItems(subset, 'ports', (port) => fillEmpty(port, { protocol: 'TCP' })),
  );
}

function endpointSliceDefaults(slice: Json): Json {
  return withItems(slice, 'ports', (port) => fillMissing(port, { name: '', protocol: 'TCP' }));
}

function definitionDefaults(definition: Json): Json {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  const filledNames = fillEmpty(names, {
    singular: kind.toLowerCase(),
    ...(kind === '' ? {} : { listKind: `${kind}List` }),
  });
  const status = objectAt(definition, 'status');
  const stored = itemsAt(spec, 'versions').find((version) => version['storage'] === true);
  const hasStored = Array.isArray(status['storedVersions']) && status['storedVersions'].length > 0;
  return {
    ...definition,
    spec: fillMissing({ ...spec, names: filledNames }, { conversion: { strategy: 'None' } }),
    status: hasStored || stored === undefined ? status : { ...status, storedVersions: [stored['name']] },
  };
}
