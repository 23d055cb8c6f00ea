import { describe, expect, it } from 'vitest';
import { strategicMergePatch } from '#dist/apiserver/patches/strategic-merge-patch.js';

const podSpec = {
  volumes: [
    { name: 'v1', emptyDir: {} },
    { name: 'v2', configMap: { name: 'x' } },
  ],
  containers: [
    {
      name: 'c1',
      image: 'i1',
      args: ['x', 'y'],
      ports: [
        { containerPort: 80, protocol: 'TCP' },
        { containerPort: 443, protocol: 'TCP' },
      ],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
        { name: 'C', value: '3' },
      ],
    },
    { name: 'c2', image: 'i2' },
  ],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  imagePullSecrets: [{ name: 'p1' }, { name: 'p2' }],
};

function patchedPod(spec: Record<string, unknown>): typeof podSpec {
  const pod = strategicMergePatch({ metadata: { name: 'p' }, spec: podSpec }, { spec }, 'Pod');
  return pod['spec'] as typeof podSpec;
}

function names(items: readonly { name: string }[]): string[] {
  return items.map((item) => item.name);
}

// All of these were seen on kube-apiserver 1.36.3.
describe('a strategic merge patch', () => {
  it('merges containers by name and leaves others unchanged', () => {
    const { containers } = patchedPod({ containers: [{ name: 'c1', image: 'new' }] });
    expect(containers).toEqual([{ ...podSpec.containers[0], image: 'new' }, podSpec.containers[1]]);
  });

  it('puts new items first, then keeps the order of the server', () => {
    const { containers } = patchedPod({
      containers: [
        { name: 'c3', image: 'n' },
        { name: 'c2', image: 'z' },
      ],
    });
    expect(names(containers)).toEqual(['c3', 'c1', 'c2']);
    expect(containers[2]).toEqual({ name: 'c2', image: 'z' });
  });

  it('deletes an item, replaces a list, replaces a map', () => {
    expect(names(patchedPod({ containers: [{ name: 'c1', $patch: 'delete' }] }).containers)).toEqual(['c2']);
    const replaced = patchedPod({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'o' }] });
    expect(replaced.containers).toEqual([{ name: 'only', image: 'o' }]);
    const service = { spec: { selector: { x: '1', y: '2' } } };
    const patch = { spec: { selector: { $patch: 'replace', q: '1' } } };
    expect(strategicMergePatch(service, patch, 'Service')).toEqual({ spec: { selector: { q: '1' } } });
    const emptied = { spec: { selector: { $patch: 'delete' } } };
    expect(strategicMergePatch(service, emptied, 'Service')).toEqual({ spec: { selector: {} } });
  });

  it('merges nested lists, with nulls and deletions among them', () => {
    const env = [
      { name: 'D', value: '4' },
      { name: 'B', $patch: 'delete' },
      { name: 'A', value: null, valueFrom: {} },
    ];
    const { containers } = patchedPod({ containers: [{ name: 'c1', env }] });
    expect(containers[0]?.env).toEqual([
      { name: 'D', value: '4' },
      { name: 'A', valueFrom: {} },
      { name: 'C', value: '3' },
    ]);
  });

  it('sets the order of elements', () => {
    const reversed = patchedPod({ '$setElementOrder/containers': [{ name: 'c2' }, { name: 'c1' }] });
    expect(names(reversed.containers)).toEqual(['c2', 'c1']);
    const added = patchedPod({
      '$setElementOrder/containers': [{ name: 'c9' }, { name: 'c2' }],
      containers: [{ name: 'c9', image: 'q' }],
    });
    expect(names(added.containers)).toEqual(['c9', 'c1', 'c2']);
  });

  it('keys ports of pods by containerPort and those of services by port', () => {
    const { containers } = patchedPod({
      containers: [{ name: 'c1', ports: [{ containerPort: 8080 }, { containerPort: 80, name: 'web' }] }],
    });
    expect(containers[0]?.ports).toEqual([
      { containerPort: 8080 },
      { containerPort: 80, protocol: 'TCP', name: 'web' },
      { containerPort: 443, protocol: 'TCP' },
    ]);
    const service = {
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    };
    const patch = {
      spec: {
        ports: [
          { port: 81, name: 'bb' },
          { port: 90, name: 'n' },
        ],
      },
    };
    expect(strategicMergePatch(service, patch, 'Service')).toEqual({
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'bb', port: 81 },
          { name: 'n', port: 90 },
        ],
      },
    });
  });

  it('replaces lists that have no merge key', () => {
    expect(patchedPod({ tolerations: [{ key: 'c' }] }).tolerations).toEqual([{ key: 'c' }]);
    expect(patchedPod({ containers: [{ name: 'c1', args: ['z'] }] }).containers[0]?.args).toEqual(['z']);
  });

  it('retains only the keys of $retainKeys', () => {
    const { volumes } = patchedPod({
      volumes: [{ name: 'v1', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }],
    });
    expect(volumes).toEqual([{ name: 'v1', secret: { secretName: 's' } }, podSpec.volumes[1]]);
  });

  it('merges, deletes from and orders lists of strings', () => {
    const pod = { metadata: { finalizers: ['a', 'b', 'c'] } };
    const finalizers = (metadata: Record<string, unknown>): unknown =>
      (strategicMergePatch(pod, { metadata }, 'Pod')['metadata'] as Record<string, unknown>)['finalizers'];
    expect(finalizers({ '$deleteFromPrimitiveList/finalizers': ['b'] })).toEqual(['a', 'c']);
    expect(finalizers({ finalizers: ['d', 'a'] })).toEqual(['d', 'a', 'b', 'c']);
    expect(finalizers({ '$setElementOrder/finalizers': ['c', 'a'], finalizers: ['c'] })).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  it('drops directives and nulls from new values', () => {
    const patch = {
      metadata: { annotations: { a: '1', b: null } },
      spec: { securityContext: { $patch: 'delete' } },
    };
    expect(strategicMergePatch({}, patch, 'Pod')).toEqual({
      metadata: { annotations: { a: '1' } },
      spec: {},
    });
  });

  it.each([
    [
      { spec: { containers: [{ image: 'x' }] } },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      { spec: { containers: [{ name: 'c1', $patch: 'merge' }] } },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [{ spec: { $patch: 'foo' } }, 500, 'unknown patch type: foo in map: map[$patch:foo]'],
    [{ spec: { $setElementOrder: [] } }, 400, 'invalid patch format of setElementOrder list'],
    [{ spec: { $deleteFromPrimitiveList: 1 } }, 400, 'invalid patch format of primitive list'],
    [{ $retainKeys: ['data'], spec: {} }, 400, 'invalid patch format of retainKeys'],
    [
      { spec: { '$setElementOrder/containers': [{ name: 'c1' }], containers: [{ name: 'c2', image: 'x' }] } },
      500,
      "The order in patch list:\n[map[image:x name:c2]]\n doesn't match $setElementOrder list:\n[map[name:c1]]\n",
    ],
  ])('is rejected if it is %j', (patch, code, message) => {
    const apply = (): unknown => strategicMergePatch({ spec: podSpec }, patch, 'Pod');
    expect(apply).toThrow(expect.objectContaining({ code, message }) as Error);
  });
});
