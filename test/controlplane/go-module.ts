/**
 * The Go module that kube-apiserver, kubectl and etcd of one Kubernetes version are built in. It is made from the go.mod of
 * that Kubernetes version, which names its staging modules, its etcd and the Go version that it is written for.
 */

import { minorOf } from './versions.js';

/**
 * Kubernetes points its staging modules (k8s.io/api and others) at folders of its own tree, which a module that requires it
 * cannot see: each is replaced by the module of the same release in the registry, which is called v0.36.3 in Kubernetes
 * v1.36.3. The lines `go` and `godebug` give the programs the same runtime behaviour as in a Kubernetes release, whichever Go compiles them.
 */
export function renderGoModule(version: string, kubernetesGoModule: string): string {
  const etcd = field(kubernetesGoModule, /^\s*go\.etcd\.io\/etcd\/client\/v3 (\S+)/m, 'a version of etcd');
  const go = field(kubernetesGoModule, /^go (\S+)$/m, 'a Go version');
  const godebug = kubernetesGoModule.match(/^godebug \S+=\S+$/gm) ?? [];
  const staging = [...kubernetesGoModule.matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\//gm)];
  if (staging.length === 0) throw new Error(`the go.mod of Kubernetes ${version} replaces no staging module`);
  return [
    '// Written by test/controlplane/go-module.ts.',
    `module kubeflect.dev/test/controlplane/${minorOf(version)}`,
    `go ${go}`,
    ...godebug,
    `require k8s.io/kubernetes v${version}`,
    `require go.etcd.io/etcd/server/v3 ${etcd}`,
    'replace (',
    ...staging.map(([, name]) => `\t${name} => ${name} v0.${version.slice('1.'.length)}`),
    ')',
    '',
  ].join('\n');
}

function field(goModule: string, pattern: RegExp, what: string): string {
  const found = pattern.exec(goModule)?.[1];
  if (found === undefined) throw new Error(`the go.mod of Kubernetes does not name ${what}`);
  return found;
}
