/** What a contender is asked to do. It comes on standard input: arguments are for everybody to see, and a kubeconfig holds credentials. */
import { readFileSync } from 'node:fs';

export function readTask() {
  return JSON.parse(readFileSync(0, 'utf8'));
}

/** A kubeconfig as an engine takes it, of a task's cluster and user. */
export function kubeConfigOf({ cluster, user }) {
  return { getCurrentCluster: () => cluster, getCurrentUser: () => user };
}
