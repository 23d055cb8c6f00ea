/** Defaults of pods and of pod templates; the two differ in a few fields. */

import {
  fillEmpty,
  fillMissing,
  itemsAt,
  type Json,
  objectAt,
  withItems,
  withObject,
} from './json-fields.js';

/** 0644: the mode of files in volumes. */
const FILE_MODE = 420;

const VOLUME_MODES = ['secret', 'configMap', 'downwardAPI', 'projected'];
const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

export function podDefaults(pod: Json): Json {
  const withAddresses = withObject(pod, 'status', podAddresses);
  return withObject({ ...withAddresses, spec: objectAt(pod, 'spec') }, 'spec', (spec) => {
    const withRequests = ['containers', 'initContainers'].reduce(
      (value, list) => withItems(value, list, requestsFromLimits),
      fillMissing(podSpecDefaults(spec), { enableServiceLinks: true }),
    );
    return spec['hostNetwork'] === true ? hostPorts(withRequests) : withRequests;
  });
}

/** `podIP` is the first of `podIPs`; where they differ, the older name wins. */
function podAddresses(status: Json): Json {
  const first = itemsAt(status, 'podIPs')[0]?.['ip'];
  const ip = status['podIP'] || first;
  if (!ip) return status;
  return { ...status, podIP: ip, podIPs: ip === first ? status['podIPs'] : [{ ip }] };
}

/** For `spec.template` of workloads. */
export function podTemplateDefaults(template: Json): Json {
  return { ...template, spec: podSpecDefaults(objectAt(template, 'spec')) };
}

function podSpecDefaults(spec: Json): Json {
  const filled = fillMissing(
    fillEmpty(spec, {
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
    }),
    { terminationGracePeriodSeconds: 30, securityContext: {} },
  );
  const withContainers = CONTAINER_LISTS.reduce(
    (value, list) => withItems(value, list, containerDefaults),
    serviceAccount(filled),
  );
  return withItems(withContainers, 'volumes', volumeDefaults);
}

/** Keeps the deprecated name of the field in sync with the new one. */
function serviceAccount(spec: Json): Json {
  const name = spec['serviceAccountName'] || spec['serviceAccount'];
  return name ? { ...spec, serviceAccountName: name, serviceAccount: name } : spec;
}

function containerDefaults(container: Json): Json {
  const image = typeof container['image'] === 'string' ? container['image'] : '';
  const filled = fillEmpty(container, {
    imagePullPolicy: isLatest(image) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  const withPorts = withItems(filled, 'ports', (port) => fillEmpty(port, { protocol: 'TCP' }));
  const withEnv = withItems(withPorts, 'env', (variable) =>
    withObject(variable, 'valueFrom', (source) => withObject(source, 'fieldRef', fieldRefDefaults)),
  );
  const withProbes = ['livenessProbe', 'readinessProbe', 'startupProbe'].reduce(
    (value, probe) => withObject(value, probe, probeDefaults),
    withEnv,
  );
  return withObject(withProbes, 'lifecycle', (lifecycle) =>
    ['postStart', 'preStop'].reduce((value, hook) => withObject(value, hook, actionDefaults), lifecycle),
  );
}

/** An image without tag and digest is `latest`. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = /:([^/]*)$/.exec(image)?.[1];
  return image !== '' && (tag === undefined || tag === 'latest');
}

function probeDefaults(probe: Json): Json {
  const thresholds = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  return withObject(actionDefaults(fillEmpty(probe, thresholds)), 'grpc', (action) =>
    fillMissing(action, { service: '' }),
  );
}

function actionDefaults(handler: Json): Json {
  return withObject(handler, 'httpGet', (action) => fillEmpty(action, { path: '/', scheme: 'HTTP' }));
}

function fieldRefDefaults(fieldRef: Json): Json {
  return fillEmpty(fieldRef, { apiVersion: 'v1' });
}

function volumeDefaults(volume: Json): Json {
  const sources = Object.keys(volume).filter((key) => key !== 'name' && volume[key] !== null);
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  const withModes = VOLUME_MODES.reduce(
    (value, source) => withObject(value, source, (mode) => fillMissing(mode, { defaultMode: FILE_MODE })),
    volume,
  );
  const withItemsFilled = withObject(withModes, 'downwardAPI', downwardItems);
  const withProjections = withObject(withItemsFilled, 'projected', (projected) =>
    withItems(projected, 'sources', (source) =>
      withObject(withObject(source, 'downwardAPI', downwardItems), 'serviceAccountToken', (token) =>
        fillMissing(token, { expirationSeconds: 3600 }),
      ),
    ),
  );
  const withHostPath = withObject(withProjections, 'hostPath', (path) => fillMissing(path, { type: '' }));
  const withImage = withObject(withHostPath, 'image', (image) =>
    fillEmpty(image, { pullPolicy: isLatest(String(image['reference'] ?? '')) ? 'Always' : 'IfNotPresent' }),
  );
  return withObject(withImage, 'ephemeral', (ephemeral) =>
    withObject(ephemeral, 'volumeClaimTemplate', (template) =>
      withObject(template, 'spec', (claim) => fillMissing(claim, { volumeMode: 'Filesystem' })),
    ),
  );
}

function downwardItems(source: Json): Json {
  return withItems(source, 'items', (item) => withObject(item, 'fieldRef', fieldRefDefaults));
}

/** Requests default to limits in pods, not in templates. */
function requestsFromLimits(container: Json): Json {
  return withObject(container, 'resources', (resources) => {
    const limits = objectAt(resources, 'limits');
    if (Object.keys(limits).length === 0) return resources;
    return { ...resources, requests: { ...limits, ...objectAt(resources, 'requests') } };
  });
}

function hostPorts(spec: Json): Json {
  return ['containers', 'initContainers'].reduce(
    (value, list) =>
      withItems(value, list, (container) =>
        itemsAt(container, 'ports').length === 0
          ? container
          : withItems(container, 'ports', (port) => fillEmpty(port, { hostPort: port['containerPort'] })),
      ),
    spec,
  );
}
