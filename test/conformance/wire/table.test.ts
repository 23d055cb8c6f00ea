/** Lists and objects as a Table, which is what kubectl asks for. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import type { ApiResponse } from '../harness/client.js';
import { keyOrder } from '../harness/json-text.js';
import { configMap, kindNamed, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

const ACCEPT = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

interface Table {
  kind: string;
  apiVersion: string;
  metadata: Record<string, unknown>;
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
  rows: { cells: unknown[]; object: Record<string, unknown> }[];
}

async function table(
  ns: Sandbox,
  path: string,
  query = {},
): Promise<{ response: ApiResponse; table: Table }> {
  const response = await ns.api.get(path, query, ACCEPT);
  expect(response.status).toBe(200);
  return { response, table: response.json as unknown as Table };
}

describe('a Table', () => {
  test('of ConfigMaps has columns, rows and the metadata of each object', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: 'v', l: 'w' } }));
    const { response, table: result } = await table(ns, ns.path('configmaps'));
    expect(response.headers['content-type']).toBe('application/json');
    expect(keyOrder(response.text)).toEqual(['kind', 'apiVersion', 'metadata', 'columnDefinitions', 'rows']);
    expect(result).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(result.metadata)).toEqual(['resourceVersion']);
    expect(keyOrder(response.text, 'columnDefinitions', 0)).toEqual([
      'name',
      'type',
      'format',
      'description',
      'priority',
    ]);
    expect(
      result.columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority]),
    ).toEqual([
      ['Name', 'string', 'name', 0],
      ['Data', 'string', '', 0],
      ['Age', 'string', '', 0],
    ]);
    expect(result.rows).toEqual([
      {
        cells: ['a', 2, expect.stringMatching(/^\d+s$/)],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: created.metadata },
      },
    ]);
  });

  test('can be paged', async ({ ns }) => {
    for (const name of ['a', 'b', 'c']) await ns.create('configmaps', configMap(name));
    const { table: result } = await table(ns, ns.path('configmaps'), { limit: 1 });
    expect(result.rows).toHaveLength(1);
    expect(result.metadata).toMatchObject({ remainingItemCount: 2, continue: expect.any(String) });
  });

  test('of one object has one row', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a'));
    const { table: result } = await table(ns, ns.path('configmaps', 'a'));
    expect(result.metadata).toEqual({ resourceVersion: created.metadata.resourceVersion });
    expect(result.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([['a', 0]]);
  });

  test('of an empty list has no rows', async ({ ns }) => {
    const { table: result } = await table(ns, ns.path('configmaps'));
    expect(result.rows).toEqual([]);
    expect(result.columnDefinitions).toHaveLength(3);
  });

  test('includes no object or the complete one with includeObject=None and =Object', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    const whole = (await ns.api.get(ns.path('configmaps', 'a'))).json;
    const none = await table(ns, ns.path('configmaps'), { includeObject: 'None' });
    expect(none.table.rows[0]?.object).toBeNull();
    const object = await table(ns, ns.path('configmaps'), { includeObject: 'Object' });
    expect(object.table.rows[0]?.object).toEqual(whole);
  });

  test('is a 400 for an unknown includeObject', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), { includeObject: 'Foo' }, ACCEPT);
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({
      reason: 'BadRequest',
      message:
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', 'Object', 'None', or empty",
    });
  });

  test('is not used for errors', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps', 'nope'), {}, ACCEPT);
    expect(response.status).toBe(404);
    expect(response.json).toMatchObject({ kind: 'Status', reason: 'NotFound' });
  });

  test('of Pods has the columns of kubectl', async ({ ns }) => {
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const { table: result } = await table(ns, ns.path('pods'));
    expect(result.columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', 0],
      ['Ready', 0],
      ['Status', 0],
      ['Restarts', 0],
      ['Age', 0],
      ['IP', 1],
      ['Node', 1],
      ['Nominated Node', 1],
      ['Readiness Gates', 1],
    ]);
    expect(result.rows[0]?.cells).toEqual([
      'a',
      '0/1',
      'Pending',
      '0',
      expect.stringMatching(/^\d+s$/),
      '<none>',
      'n1',
      '<none>',
      '<none>',
    ]);
  });

  test('of a custom resource has its printer columns', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { spec: { color: 'red' } }));
    await ns.createAt(widgets.pathIn(ns), widgets.widget('x'));
    const { table: result } = await table(ns, widgets.pathIn(ns));
    expect(result.columnDefinitions.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', 'name'],
      ['Color', 'string', ''],
    ]);
    expect(result.columnDefinitions[1]?.description).toBe(
      'Custom resource definition column (in JSONPath format): .spec.color',
    );
    expect(result.rows.map(({ cells }) => cells)).toEqual([
      ['w', 'red'],
      ['x', null],
    ]);
  });

  test.for([
    [
      'Node',
      [
        'Name',
        'Status',
        'Roles',
        'Age',
        'Version',
        'Internal-IP',
        'External-IP',
        'OS-Image',
        'Kernel-Version',
        'Container-Runtime',
      ],
    ],
    ['Namespace', ['Name', 'Status', 'Age']],
    ['Service', ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector']],
    ['Endpoints', ['Name', 'Endpoints', 'Age']],
    ['EndpointSlice', ['Name', 'AddressType', 'Ports', 'Endpoints', 'Age']],
    ['Secret', ['Name', 'Type', 'Data', 'Age']],
    [
      'Event',
      [
        'Last Seen',
        'Type',
        'Reason',
        'Object',
        'Subobject',
        'Source',
        'Message',
        'First Seen',
        'Count',
        'Name',
      ],
    ],
    ['Lease', ['Name', 'Holder', 'Age']],
    ['Deployment', ['Name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers', 'Images', 'Selector']],
    ['ReplicaSet', ['Name', 'Desired', 'Current', 'Ready', 'Age', 'Containers', 'Images', 'Selector']],
    ['Job', ['Name', 'Status', 'Completions', 'Duration', 'Age', 'Containers', 'Images', 'Selector']],
  ] satisfies [string, string[]][])('columns of %s', async ([name, columns], { ns }) => {
    const kind = kindNamed(name);
    const query = { fieldSelector: 'metadata.name=no-such-object' };
    const { table: result } = await table(ns, ns.pathOf(kind), query);
    const names = result.columnDefinitions.map((column) => column.name);
    await either(
      'our embedded server may print every kind with the generic columns',
      { name: 'of the kind', check: () => expect(names).toEqual(columns) },
      { name: 'generic', check: () => expect(names).toEqual(['Name', 'Created At']) },
    );
  });
});
