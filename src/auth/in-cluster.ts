import { isIPv6 } from 'node:net';
import { invalidOption } from '../util/check-options.js';
import type { ConnectionSource } from './connection-source.js';

/** Where Kubernetes mounts the service account of a pod. */
const ROOT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  /** @default where Kubernetes mounts it */
  readonly root?: string;
  /** @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * The API server of the cluster in which this process runs as a pod, with the pod's service account. Its token and
 * certificate authority are read again when they are rotated. Throws `KUBEFLECT_OPTION_INVALID` outside of a pod.
 */
export function inCluster(options: InClusterOptions = {}): ConnectionSource {
  const { root = ROOT, environment = process.env } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) {
    throw invalidOption(
      'inCluster',
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is not a pod; use kubeConfig',
    );
  }
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile: `${root}/token`,
    tls: { caFile: `${root}/ca.crt` },
  };
}
