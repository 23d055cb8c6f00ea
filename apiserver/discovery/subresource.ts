import type { Resource } from '../resources/resource.js';

/** A subresource as discovery describes it. */
export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** The group and version of the kind, when they are not the resource's. */
  readonly kindVersion: { readonly group: string; readonly version: string } | undefined;
  readonly verbs: readonly string[];
}

interface Shape {
  /** Undefined: the kind of the resource. */
  readonly kind?: (parent: string) => string;
  readonly kindVersion?: { readonly group: string; readonly version: string };
  readonly verbs: readonly string[];
}

const READ_AND_WRITE: Shape = { verbs: ['get', 'patch', 'update'] };
const optionsFor = (name: string): Shape => ({
  kind: (parent) => `${parent}${name}Options`,
  verbs: ['create', 'get'],
});

const SHAPES: Readonly<Record<string, Shape>> = {
  attach: optionsFor('Attach'),
  binding: { kind: () => 'Binding', verbs: ['create'] },
  ephemeralcontainers: READ_AND_WRITE,
  eviction: { kind: () => 'Eviction', kindVersion: { group: 'policy', version: 'v1' }, verbs: ['create'] },
  exec: optionsFor('Exec'),
  finalize: { verbs: ['update'] },
  log: { verbs: ['get'] },
  portforward: optionsFor('PortForward'),
  proxy: { ...optionsFor('Proxy'), verbs: ['create', 'delete', 'get', 'patch', 'update'] },
  resize: READ_AND_WRITE,
  scale: {
    kind: () => 'Scale',
    kindVersion: { group: 'autoscaling', version: 'v1' },
    verbs: ['get', 'patch', 'update'],
  },
  status: READ_AND_WRITE,
};

/** In the order of the wire: by name for built-in kinds, status first for custom ones. */
export function subresourcesOf(resource: Resource): readonly Subresource[] {
  const names = [...(resource.hasStatus ? ['status'] : []), ...resource.subresources];
  if (!resource.isCustom) names.sort();
  return names.map((name) => {
    const shape = SHAPES[name] ?? READ_AND_WRITE;
    return {
      name,
      kind: shape.kind?.(resource.kind) ?? resource.kind,
      kindVersion: shape.kindVersion,
      verbs: shape.verbs,
    };
  });
}
