import type { KubernetesObject } from '#dist/src/kube/object.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';

export interface Pod extends KubernetesObject {
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
  };
  spec?: { nodeName?: string; value?: number };
}

export interface PodOptions {
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly nodeName?: string;
}

export function pod(name: string, resourceVersion: number | string, options: PodOptions = {}): Pod {
  const { namespace = 'default', uid = `uid-${name}`, labels, nodeName } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(resourceVersion),
      ...(labels ? { labels } : {}),
    },
    ...(nodeName === undefined ? {} : { spec: { nodeName } }),
  };
}

export function entry(
  name: string,
  resourceVersion: number | string,
  options: PodOptions = {},
): ObjectEntry<Pod> {
  return new ObjectEntry(pod(name, resourceVersion, options));
}
