import { KubeConfig } from '@kubernetes/client-node';
import type { Identity } from '../contenders/task.js';

/** Adds cluster and user of the task's kubeconfig. */
export function withIdentity<T extends { readonly kubeConfig: string }>(task: T): T & Identity {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(task.kubeConfig);
  return { ...task, cluster: kubeConfig.getCurrentCluster(), user: kubeConfig.getCurrentUser() };
}
