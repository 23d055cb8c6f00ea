import type * as clientNode from '@kubernetes/client-node';

/** 2.x where Node is new enough for it, otherwise 1.4. What contenders use is the same in both. */
export async function loadClientNode(): Promise<typeof clientNode> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 19);
  return (await import(isNew ? 'client-node-2' : '@kubernetes/client-node')) as typeof clientNode;
}
