/** The parts of Kubernetes objects that the kubectl cases look at. */

export interface KubeItem {
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields?: { manager: string; operation: string }[];
  };
  data?: Record<string, string>;
  spec?: unknown;
}

export interface KubeList {
  kind: string;
  items: KubeItem[];
}
