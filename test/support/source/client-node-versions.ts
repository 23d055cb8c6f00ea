import type * as ClientNode from '@kubernetes/client-node';

export interface ClientNodeVersion {
  readonly name: string;
  /** Tests use only names that both versions have, with the types of 1.4. */
  readonly load: () => Promise<typeof ClientNode>;
}

/** client-node 2.x needs a newer Node than kubeflect does: its undici does not load below this version. */
export const CLIENT_NODE_2_MIN_NODE = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

export const canLoadClientNode2 =
  major > CLIENT_NODE_2_MIN_NODE[0] ||
  (major === CLIENT_NODE_2_MIN_NODE[0] && minor >= CLIENT_NODE_2_MIN_NODE[1]);

const VERSION_1: ClientNodeVersion = {
  name: 'client-node 1.4',
  load: () => import('@kubernetes/client-node'),
};
const VERSION_2: ClientNodeVersion = {
  name: 'client-node 2',
  load: async () => (await import('client-node-2')) as unknown as typeof ClientNode,
};

/** The versions that this Node can load. */
export const CLIENT_NODE_VERSIONS: readonly ClientNodeVersion[] = canLoadClientNode2
  ? [VERSION_1, VERSION_2]
  : [VERSION_1];
