import { parsePath } from '../../../src/kube/path.js';

/** The paths to drop, as a tree: for each name the subtree, or all of the field. */
export type DropTree = ReadonlyMap<string, DropTree | 'all'>;

type Building = Map<string, Building | 'all'>;

export function dropTree(paths: readonly string[]): DropTree {
  const root: Building = new Map();
  for (const path of paths) {
    const fields = parsePath(path);
    let node = root;
    for (const [i, field] of fields.entries()) {
      const child = node.get(field);
      if (child === 'all') break;
      if (i === fields.length - 1) node.set(field, 'all');
      else {
        const next: Building = child ?? new Map();
        node.set(field, next);
        node = next;
      }
    }
  }
  return root;
}
