import { parsePath } from '../../../src/kube/path.js';

/** Paths that are not wanted: under each name what is not wanted of it, or that nothing is. */
export type DropTree = ReadonlyMap<string, DropTree | 'all'>;

type Building = Map<string, Building | 'all'>;

export function dropTree(paths: readonly string[]): DropTree {
  const root: Building = new Map();
  for (const path of paths) {
    const fields = parsePath(path);
    let node = root;
    for (const [i, field] of fields.entries()) {
      const known = node.get(field);
      if (known === 'all') break;
      if (i === fields.length - 1) node.set(field, 'all');
      else {
        const next: Building = known ?? new Map();
        node.set(field, next);
        node = next;
      }
    }
  }
  return root;
}

/** Of what stands under a name. */
export function under(tree: DropTree | undefined, name: string): DropTree | 'all' | undefined {
  return tree?.get(name);
}
