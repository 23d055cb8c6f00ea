import type { ObjectRegistry } from './object-registry.js';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** The objects that a new control plane creates. */
export function bootstrap(objects: ObjectRegistry): void {
  const namespaces = objects.resources.lookup('', 'v1', 'namespaces');
  if (namespaces === undefined) throw new Error('namespaces are not served: this is a bug in kubeflect');
  for (const name of NAMESPACES) {
    objects.create(
      namespaces,
      undefined,
      { kind: 'Namespace', apiVersion: 'v1', metadata: { name } },
      { manager: 'kube-apiserver', isDryRun: false },
    );
  }
}
