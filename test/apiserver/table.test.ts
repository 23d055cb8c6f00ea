import { describe, expect, it } from 'vitest';
import { encodeJson } from '#dist/apiserver/json.js';
import { partialMetadata } from '#dist/apiserver/objects/partial-metadata.js';
import { tableRow, toTable } from '#dist/apiserver/objects/table.js';
import { humanDuration } from '#dist/apiserver/printers/human-duration.js';

const NOW = Date.parse('2026-11-17T16:47:30Z');
const OPTIONS = { includeObject: 'None', now: NOW, resourceVersion: '7' } as const;
const created = { creationTimestamp: '2026-11-17T16:42:27Z' };

function resource(
  group: string,
  kind: string,
): { group: string; version: string; kind: string; columns: [] } {
  return { group, version: 'v1', kind, columns: [] };
}

function row(group: string, kind: string, object: Record<string, unknown>): Record<string, unknown> {
  const table = toTable(resource(group, kind), [object], OPTIONS);
  return (table['rows'] as Record<string, unknown>[])[0] ?? {};
}

function cells(group: string, kind: string, object: Record<string, unknown>): unknown {
  return row(group, kind, { metadata: { name: 'x', ...created }, ...object })['cells'];
}

function podStatus(status: Record<string, unknown>, metadata: Record<string, unknown> = {}): unknown[] {
  const spec = {
    initContainers: [{ name: 'i1' }, { name: 'side', restartPolicy: 'Always' }],
    containers: [{ name: 'c' }],
    nodeName: 'n',
  };
  return cells('', 'Pod', { metadata: { name: 'x', ...created, ...metadata }, spec, status }) as unknown[];
}

const running = { name: 'c', ready: true, restartCount: 0, state: { running: {} } };

// All rows were compared with those of kube-apiserver 1.36.3.
describe('a table', () => {
  it('has its fields in wire order', () => {
    const configMap = {
      metadata: { ...created, name: 'cm', uid: 'u' },
      data: { a: '1' },
      binaryData: { b: 'AA==' },
    };
    const table = toTable(resource('', 'ConfigMap'), [configMap], {
      ...OPTIONS,
      includeObject: 'Metadata',
      continue: 'token',
      remainingItemCount: 3,
    });
    const text = encodeJson(table).replace(/"description":"(?:[^"\\]|\\.)*"/g, '"description":""');
    expect(text).toBe(
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","continue":"token","remainingItemCount":3},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0},{"name":"Data","type":"string","format":"","description":"","priority":0},{"name":"Age","type":"string","format":"","description":"","priority":0}],"rows":[{"cells":["cm",2,"5m3s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"cm","uid":"u","creationTimestamp":"2026-11-17T16:42:27Z"}}}]}',
    );
  });

  it('includes no object, its metadata or the complete object', () => {
    const object = { data: { b: '1', a: '2' }, metadata: { name: 'cm' } };
    const shown = (includeObject: 'None' | 'Metadata' | 'Object'): string => {
      const table = toTable(resource('', 'ConfigMap'), [object], { ...OPTIONS, includeObject });
      return encodeJson((table['rows'] as { object: unknown }[])[0]?.object);
    };
    expect(shown('None')).toBe('null');
    expect(shown('Metadata')).toBe(
      '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"cm"}}',
    );
    expect(shown('Object')).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cm"},"data":{"a":"2","b":"1"}}',
    );
  });

  it('has columns only in the first watch event', () => {
    const object = { metadata: { name: 'cm', resourceVersion: '42' } };
    const first = tableRow(resource('', 'ConfigMap'), object, { ...OPTIONS, isFirst: true });
    const second = tableRow(resource('', 'ConfigMap'), object, { ...OPTIONS, isFirst: false });
    expect(first['metadata']).toEqual({ resourceVersion: '42' });
    expect(first['columnDefinitions']).toHaveLength(3);
    expect(second['columnDefinitions']).toBeNull();
    expect(second['rows']).toEqual(first['rows']);
  });
});

describe('the row of a pod', () => {
  it.each([
    [{ phase: 'Running', containerStatuses: [running], podIP: '1.1.1.1' }, '1/2', 'Running', '0'],
    [
      {
        phase: 'Pending',
        containerStatuses: [{ ...running, ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } }],
      },
      '0/2',
      'ImagePullBackOff',
      '0',
    ],
    [
      { phase: 'Failed', containerStatuses: [{ ...running, state: { terminated: { exitCode: 3 } } }] },
      '0/2',
      'ExitCode:3',
      '0',
    ],
    [{ phase: 'Failed', reason: 'Evicted' }, '0/2', 'Evicted', '0'],
    [
      {
        phase: 'Running',
        containerStatuses: [
          { ...running, restartCount: 5, lastState: { terminated: { finishedAt: '2026-11-10T00:00:00Z' } } },
        ],
      },
      '1/2',
      'Running',
      '5 (7d16h ago)',
    ],
    [
      {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'i1', restartCount: 2, state: { waiting: { reason: 'PodInitializing' } } },
        ],
      },
      '0/2',
      'Init:0/2',
      '2',
    ],
    [
      {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'i1', restartCount: 1, state: { terminated: { exitCode: 2, reason: 'Error' } } },
        ],
      },
      '0/2',
      'Init:Error',
      '1',
    ],
    [
      {
        phase: 'Running',
        initContainerStatuses: [
          { name: 'i1', restartCount: 0, state: { terminated: { exitCode: 0 } } },
          { name: 'side', started: true, ready: true, restartCount: 3, state: { running: {} } },
        ],
        containerStatuses: [running],
      },
      '2/2',
      'Running',
      '3',
    ],
    [
      {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      },
      '0/2',
      'SchedulingGated',
      '0',
    ],
  ])('summarizes the status %j', (status, ready, reason, restarts) => {
    expect(podStatus(status).slice(1, 4)).toEqual([ready, reason, restarts]);
  });

  it('has the status Terminating during deletion', () => {
    const deleted = { deletionTimestamp: '2026-11-17T16:47:00Z' };
    expect(podStatus({ phase: 'Running' }, deleted)[2]).toBe('Terminating');
    expect(podStatus({ phase: 'Succeeded' }, deleted)[2]).toBe('Succeeded');
  });

  it('has a condition when the pod is done', () => {
    const pod = { metadata: { name: 'p' }, spec: {}, status: { phase: 'Succeeded' } };
    expect(encodeJson(row('', 'Pod', pod))).toBe(
      '{"cells":["p","0/0","Succeeded","0","\\u003cunknown\\u003e","\\u003cnone\\u003e","\\u003cnone\\u003e","\\u003cnone\\u003e","\\u003cnone\\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has completed successfully."}],"object":null}',
    );
  });
});

describe('the rows of other kinds', () => {
  it.each([
    [
      '',
      'Node',
      {
        metadata: { name: 'x', ...created, labels: { 'node-role.kubernetes.io/worker': '' } },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'False' }],
          addresses: [{ type: 'InternalIP', address: '1.1.1.1' }],
          nodeInfo: { architecture: 'arm64', kernelVersion: '5', kubeletVersion: 'v1.36' },
        },
      },
      [
        'x',
        'NotReady,SchedulingDisabled',
        'worker',
        '5m3s',
        'v1.36',
        '1.1.1.1',
        '<none>',
        '<unknown>',
        '5 (arm64)',
        '<unknown>',
      ],
    ],
    ['', 'Namespace', { status: { phase: 'Active' } }, ['x', 'Active', '5m3s']],
    [
      '',
      'Service',
      {
        spec: {
          type: 'NodePort',
          clusterIP: '10.0.0.1',
          ports: [{ port: 80, nodePort: 30_000, protocol: 'TCP' }],
          selector: { b: '1', a: '2' },
        },
      },
      ['x', 'NodePort', '10.0.0.1', '<none>', '80:30000/TCP', '5m3s', 'a=2,b=1'],
    ],
    [
      '',
      'Service',
      { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] } },
      ['x', 'LoadBalancer', '10.0.0.1', '<pending>', '80/TCP', '5m3s', '<none>'],
    ],
    ['', 'Secret', { type: 'Opaque', data: { a: '', b: '' } }, ['x', 'Opaque', 2, '5m3s']],
    [
      'apps',
      'Deployment',
      {
        spec: {
          replicas: 3,
          selector: {
            matchLabels: { b: '1' },
            matchExpressions: [{ key: 'a', operator: 'In', values: ['z', 'y'] }],
          },
          template: {
            spec: {
              containers: [
                { name: 'c', image: 'i' },
                { name: 'd', image: 'j' },
              ],
            },
          },
        },
        status: { readyReplicas: 2, updatedReplicas: 1 },
      },
      ['x', '2/3', 1, 0, '5m3s', 'c,d', 'i,j', 'a in (y,z),b=1'],
    ],
    [
      'apps',
      'ReplicaSet',
      { spec: { replicas: 1 }, status: { replicas: 1 } },
      ['x', 1, 1, 0, '5m3s', '', '', '<none>'],
    ],
    [
      'batch',
      'Job',
      {
        spec: { completions: 3, parallelism: 2 },
        status: { succeeded: 1, startTime: '2026-11-17T16:46:00Z' },
      },
      ['x', 'Running', '1/3', '90s', '5m3s', '', '', '<none>'],
    ],
    ['coordination.k8s.io', 'Lease', { spec: { holderIdentity: 'h' } }, ['x', 'h', '5m3s']],
    [
      '',
      'Event',
      {
        involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.c' },
        reason: 'R',
        message: ' hi ',
        type: 'Normal',
        source: { component: 'k', host: 'h' },
        count: 3,
        firstTimestamp: '2026-11-17T10:47:30Z',
        lastTimestamp: '2026-11-17T15:47:30Z',
      },
      ['60m', 'Normal', 'R', 'pod/p', 'spec.c', 'k, h', 'hi', '6h', 3, 'x'],
    ],
    [
      'events.k8s.io',
      'Event',
      {
        regarding: { kind: 'Pod', name: 'p' },
        note: 'n',
        eventTime: '2026-11-17T16:47:20.000000Z',
        reportingController: 'x.io/c',
        reportingInstance: 'c-1',
      },
      ['10s', '', '', 'pod/p', '', 'x.io/c, c-1', 'n', '10s', 1, 'x'],
    ],
    [
      '',
      'Endpoints',
      { subsets: [{ addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }], ports: [{ port: 1 }, { port: 2 }] }] },
      ['x', '1.1.1.1:1,1.1.1.2:1,1.1.1.1:2 + 1 more...', '5m3s'],
    ],
    [
      'discovery.k8s.io',
      'EndpointSlice',
      { addressType: 'IPv4', endpoints: [], ports: [{ name: 'a' }] },
      ['x', 'IPv4', 'a', '<unset>', '5m3s'],
    ],
    ['apiextensions.k8s.io', 'CustomResourceDefinition', {}, ['x', '2026-11-17T16:42:27Z']],
  ])('have the cells of %s %s', (group, kind, object, expected) => {
    expect(cells(group, kind, object)).toEqual(expected);
  });

  it('have the printer columns of a custom resource', () => {
    const column = (name: string, type: string, jsonPath: string) => ({
      name,
      type,
      jsonPath,
      description: '',
      priority: 0,
    });
    const columns = [
      column('A', 'string', '.spec.a'),
      column('N', 'integer', '.spec.n'),
      column('B', 'boolean', '.spec.b'),
      column('D', 'date', '.spec.d'),
      column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
      column('L', 'string', '.spec.list[*].x'),
      column('L1', 'string', '.spec.list[1]'),
      column('An', 'string', '.metadata.annotations.a\\.b/c'),
      column('Missing', 'string', '.spec.zzz'),
      column('Misfit', 'integer', '.spec.a'),
    ];
    const object = {
      metadata: { name: 'w', annotations: { 'a.b/c': 'yes' } },
      spec: { a: 'x', n: 5, b: true, d: '2026-11-17T16:47:00Z', list: [{ x: 1 }, { x: 2 }] },
      status: {
        conditions: [
          { type: 'X', status: 'no' },
          { type: 'Ready', status: 'True' },
        ],
      },
    };
    const table = toTable({ ...resource('x.io', 'Widget'), columns }, [object], OPTIONS);
    expect((table['rows'] as { cells: unknown }[])[0]?.cells).toEqual([
      ...['w', 'x', 5, true, '30s', 'True', '1', '{"x":2}', 'yes', null, null],
    ]);
    expect((table['columnDefinitions'] as unknown[])[1]).toEqual({
      name: 'A',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.a',
      priority: 0,
    });
  });

  it('have the age of a custom resource without columns', () => {
    expect(cells('x.io', 'Widget', {})).toEqual(['x', '5m3s']);
  });
});

it.each([
  [-5000, '<invalid>'],
  [-500, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [303_000, '5m3s'],
  [600_000, '10m'],
  [3 * 3_600_000, '3h'],
  [3.5 * 3_600_000, '3h30m'],
  [47 * 3_600_000, '47h'],
  [49 * 3_600_000, '2d1h'],
  [320 * 86_400_000, '320d'],
  [800 * 86_400_000, '2y70d'],
  [9 * 365 * 86_400_000, '9y'],
])('an age of %d ms is printed as %s', (durationMs, expected) => {
  expect(humanDuration(durationMs)).toBe(expected);
});

it('partial metadata is in the order of built-in kinds, for custom resources too', () => {
  const widget = {
    apiVersion: 'x.io/v1',
    kind: 'Widget',
    metadata: { labels: { b: '1', a: '2' }, name: 'w' },
    spec: {},
  };
  const item =
    '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","labels":{"a":"2","b":"1"}}}';
  expect(encodeJson(partialMetadata(widget))).toBe(item);
});
