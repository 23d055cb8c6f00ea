/** What kubectl must be able to do with an API server, for any server that a kubeconfig leads to. */

import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeCustomResources } from './custom-resource-cases.js';
import { describeDiscovery } from './discovery-cases.js';
import { Kubectl } from './kubectl.js';
import { describeLists } from './list-cases.js';
import { describePods } from './pod-cases.js';
import { describeWriting } from './writing-cases.js';

/** A server to run the suite against. */
export interface KubectlTarget {
  /** Path of the kubectl program. */
  kubectl: string;
  /** Path of a kubeconfig that may do everything. */
  kubeConfig: string;
  close?: () => Promise<void>;
}

export interface KubectlExpectations {
  /** `explain` needs the schemas of the kinds. */
  explain: 'works' | 'untested';
}

/** What the cases share; every run has names of its own, because servers without controllers never drop a namespace. */
export interface KubectlScene {
  /** There from the first `beforeAll` on: the server is opened no earlier. */
  readonly kubectl: Kubectl;
  readonly expectations: KubectlExpectations;
  readonly run: string;
  readonly namespace: string;
  readonly node: string;
  /** API group of the custom resources. */
  readonly group: string;
}

export function describeKubectl(
  name: string,
  open: () => Promise<KubectlTarget>,
  expectations: KubectlExpectations,
): void {
  const run = randomBytes(4).toString('hex');
  const namespace = `kubectl-${run}`;
  let kubectl: Kubectl;
  const scene: KubectlScene = {
    get kubectl() {
      return kubectl;
    },
    expectations,
    run,
    namespace,
    node: `kubectl-node-${run}`,
    group: `g${run}.kubeflect.dev`,
  };

  describe(name, () => {
    beforeAll(async () => {
      const target = await open();
      kubectl = new Kubectl({ program: target.kubectl, kubeConfig: target.kubeConfig, namespace });
      return async () => {
        await kubectl.attempt(['delete', 'crd', `widgets.${scene.group}`, '--ignore-not-found']);
        await kubectl.attempt(['delete', 'node', scene.node, '--ignore-not-found']);
        await kubectl.attempt(['delete', 'namespace', namespace, '--wait=false']);
        kubectl.remove();
        await target.close?.();
      };
    });

    test('create namespace creates the namespace of all other cases', async () => {
      expect(await kubectl.run(['create', 'namespace', namespace])).toBe(`namespace/${namespace} created\n`);
    });

    describeDiscovery(scene);
    describePods(scene);
    describeWriting(scene);
    describeLists(scene);
    describeCustomResources(scene);
  });
}
