/** Containers and volumes: what pods, deployments, replica sets and jobs have in common. */

import type { DraftContext } from '../draft.js';
import type { Json, JsonObject } from '../go-json.js';
import { PADDING } from '../placeholder.js';
import type { Random } from '../random.js';

const PORTS: readonly number[] = [8080, 8443, 9090, 9091, 3000, 5000, 6060, 15090];
const IMAGES: readonly string[] = [
  'registry.example.com/shop',
  'ghcr.io/acme/platform',
  'quay.io/observability',
];
const CPU: readonly string[] = ['50m', '100m', '250m', '500m', '1', '2'];
const MEMORY: readonly string[] = ['64Mi', '128Mi', '256Mi', '512Mi', '1Gi', '2Gi'];

const ROOMY_BYTES = 3900;
const ROOMY_CONTAINER_BYTES = 900;

/** Bare containers are for small objects. */
type Role = 'main' | 'sidecar' | 'bare';

export interface PodParts {
  readonly containers: JsonObject[];
  readonly volumes: JsonObject[];
}

/** Small objects have no probes, files and tokens, so that sizeBytes can be met. */
export function hasRoom(context: DraftContext): boolean {
  return context.bytes >= ROOMY_BYTES + ROOMY_CONTAINER_BYTES * context.spec.containers;
}

/** `tokenVolume` names the projected service account token, which only pods have. */
export function podParts(context: DraftContext, tokenVolume: string | undefined): PodParts {
  const { random, spec } = context;
  const isRich = hasRoom(context);
  const containers = Array.from({ length: spec.containers }, (_, k) =>
    container(random, k, isRich && k === 0 ? 'main' : isRich ? 'sidecar' : 'bare', tokenVolume),
  );
  const volumes: JsonObject[] = isRich
    ? [
        { name: 'config', configMap: { name: `${random.word()}-config`, defaultMode: 420 } },
        { name: 'cache', emptyDir: { sizeLimit: random.pick(MEMORY) } },
        { name: 'tls', secret: { secretName: `${random.word()}-tls`, defaultMode: 420 } },
      ]
    : [];
  if (tokenVolume !== undefined) volumes.push(serviceAccountVolume(tokenVolume));
  return { containers, volumes };
}

/** Adds environment variables to the containers in turn until the size is nearly reached. */
export function growEnvironment(context: DraftContext, object: JsonObject, parts: PodParts): void {
  let missing = context.missing(object) - 100;
  for (let k = 0; missing > 0; k++) {
    const container = parts.containers[k % parts.containers.length] as { env: JsonObject[] } & JsonObject;
    const variable = environmentVariable(context.random, container.env.length);
    missing -= JSON.stringify(variable).length + 1;
    if (missing > 0) container.env.push(variable);
  }
}

function container(random: Random, ordinal: number, role: Role, tokenVolume: string | undefined): JsonObject {
  const port = PORTS[ordinal % PORTS.length] as number;
  const name = ordinal === 0 ? 'app' : ordinal === 1 ? 'sidecar-proxy' : `${random.word()}-${ordinal}`;
  const mounts: JsonObject[] = [];
  if (role === 'main') {
    mounts.push({ name: 'config', readOnly: true, mountPath: '/etc/app' });
    mounts.push({ name: 'tls', readOnly: true, mountPath: '/etc/tls' });
  }
  if (role !== 'bare') mounts.push({ name: 'cache', mountPath: '/var/cache/app' });
  if (tokenVolume !== undefined) {
    mounts.push({
      name: tokenVolume,
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    });
  }
  return {
    name,
    image: `${random.pick(IMAGES)}/${name}:${random.int(9)}.${random.int(40)}.${random.int(20)}`,
    ...(role === 'main'
      ? { args: ['--listen=0.0.0.0:8080', '--log-format=json', '--filter=level>=info && level<fatal'] }
      : {}),
    ports: [{ name: ordinal === 0 ? 'http' : `metrics-${ordinal}`, containerPort: port, protocol: 'TCP' }],
    env: environment(random, ordinal, role),
    resources: resources(random),
    ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
    ...(role === 'main' ? { livenessProbe: probe('/healthz', port, 15) } : {}),
    ...(role === 'bare' ? {} : { readinessProbe: probe('/readyz', port, 5) }),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    ...(role === 'main'
      ? {
          securityContext: {
            capabilities: { drop: ['ALL'] },
            runAsNonRoot: true,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
          },
        }
      : {}),
  };
}

function environment(random: Random, ordinal: number, role: Role): JsonObject[] {
  // A flag takes the padding that brings the object to its size.
  const variables: JsonObject[] = [
    ordinal === 0
      ? { name: 'APP_FLAGS', value: `features=${PADDING}` }
      : { name: 'LOG_LEVEL', value: 'info' },
  ];
  if (role !== 'bare') {
    const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.name' };
    variables.push({ name: 'POD_NAME', valueFrom: { fieldRef } });
  }
  if (role === 'main') {
    const secretKeyRef = { name: `${random.word()}-credentials`, key: 'token', optional: true };
    variables.push({ name: 'API_TOKEN', valueFrom: { secretKeyRef } });
  }
  return variables;
}

function resources(random: Random): JsonObject {
  const step = random.int(CPU.length - 1);
  return {
    limits: { cpu: CPU[step + 1] as string, memory: MEMORY[step + 1] as string },
    requests: { cpu: CPU[step] as string, memory: MEMORY[step] as string },
  };
}

function environmentVariable(random: Random, ordinal: number): JsonObject {
  const name = `${random.words(2, '_')}_${ordinal}`.toUpperCase();
  const host = `${random.words(2, '-')}.svc.cluster.local`;
  return {
    name,
    value: random.pick([
      `https://${host}:8443/v1?retries=${random.int(9)}&timeout=${random.int(60)}s`,
      `${host}:${random.between(1024, 65535)}`,
      random.words(random.between(2, 8), ','),
      String(random.int(100_000)),
    ]),
  };
}

function probe(path: string, port: number, periodSeconds: number): JsonObject {
  return {
    httpGet: { path, port, scheme: 'HTTP' },
    initialDelaySeconds: 10,
    timeoutSeconds: 3,
    periodSeconds,
    successThreshold: 1,
    failureThreshold: 3,
  };
}

function serviceAccountVolume(name: string): JsonObject {
  const sources: Json[] = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return { name, projected: { sources, defaultMode: 420 } };
}
