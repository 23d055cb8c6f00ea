/**
 * Cluster and user of a task's kubeconfig, read for contenders that would only load client-node for it: its modules take 60 MB, which
 * are none of theirs.
 */
import { KubeConfig } from '@kubernetes/client-node';

export function withIdentity(task) {
  if (task.kubeConfig === undefined) return task;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(task.kubeConfig);
  return { ...task, cluster: kubeConfig.getCurrentCluster(), user: kubeConfig.getCurrentUser() };
}
