/** labelSelector and fieldSelector. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { expectStatus } from '../harness/expect-status.js';
import { configMap, deployment, kindNamed, pod } from '../harness/objects.js';
import { groupPath, type Sandbox } from '../harness/sandbox.js';

async function select(ns: Sandbox, plural: string, query: Record<string, string>, apiVersion = 'v1') {
  const response = await ns.api.get(ns.path(plural, undefined, apiVersion), query);
  expect(response.status).toBe(200);
  return response.json.items.map((item) => item.metadata.name);
}

describe('labelSelector', () => {
  const rows: [selector: string, names: string[]][] = [
    ['', ['none', 'prod', 'prod-big', 'test']],
    ['env=prod', ['prod', 'prod-big']],
    ['env==prod', ['prod', 'prod-big']],
    ['env!=prod', ['none', 'test']],
    ['env', ['prod', 'prod-big', 'test']],
    ['!env', ['none']],
    ['env in (prod,test)', ['prod', 'prod-big', 'test']],
    ['env in ( prod , test ),size', ['prod-big']],
    ['env notin (prod)', ['none', 'test']],
    ['size>4', ['prod-big']],
    ['size<4', []],
    ['env=prod,size=10', ['prod-big']],
    ['env=', []],
    ['env=prod,env=test', []],
    ['kubeflect.dev/tier=x', ['test']],
  ];
  test.for(rows)('selects the matching objects: %j', async ([selector, names], { ns }) => {
    const labels: Record<string, Record<string, string>> = {
      none: {},
      prod: { env: 'prod' },
      'prod-big': { env: 'prod', size: '10' },
      test: { env: 'test', 'kubeflect.dev/tier': 'x' },
    };
    for (const [name, own] of Object.entries(labels)) {
      await ns.create('configmaps', configMap(name, { metadata: { labels: own } }));
    }
    expect(await select(ns, 'configmaps', { labelSelector: selector })).toEqual(names);
  });

  test.for([
    ['a===', "unable to parse requirement: found '=', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    [
      'a=++',
      "unable to parse requirement: values[0][a]: Invalid value: \"++\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ] satisfies [string, string][])(
    'that cannot be read is a 400: %j',
    async ([labelSelector, message], { ns }) => {
      const path = ns.path('configmaps');
      const expected = { code: 400, reason: 'BadRequest', message };
      expectStatus(await ns.api.get(path, { labelSelector }), expected);
      expectStatus(await ns.api.get(path, { labelSelector, watch: 1 }), expected);
    },
  );
});

describe('fieldSelector', () => {
  test.for([
    ['metadata.name=a', ['a']],
    ['metadata.name==a', ['a']],
    ['metadata.name!=a', ['b', 'c']],
    ['metadata.name!=a,metadata.name!=b', ['c']],
    ['metadata.name=a,metadata.name=b', []],
    ['metadata.name=nope', []],
    ['metadata.namespace=elsewhere', []],
    ['', ['a', 'b', 'c']],
  ] satisfies [string, string[]][])('selects the matching objects: %j', async ([selector, names], { ns }) => {
    for (const name of ['a', 'b', 'c']) await ns.create('configmaps', configMap(name));
    expect(await select(ns, 'configmaps', { fieldSelector: selector })).toEqual(names);
  });

  test('metadata.namespace filters the list over all namespaces', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const fieldSelector = `metadata.namespace=${ns.name}`;
    const list = (await ns.api.get('/api/v1/configmaps', { fieldSelector })).json;
    expect(list.items.map((item) => item.metadata.name)).toEqual(['a']);
  });

  test('can be combined with labelSelector', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { labels: { l: '1' } } }));
    await ns.create('configmaps', configMap('b', { metadata: { labels: { l: '1' } } }));
    expect(
      await select(ns, 'configmaps', { labelSelector: 'l=1', fieldSelector: 'metadata.name!=a' }),
    ).toEqual(['b']);
  });

  test.for([
    ['spec.nodeName=n1', ['b']],
    ['spec.nodeName=', ['a', 'c']],
    ['status.phase=Running', ['c']],
    ['status.phase!=Running', ['a', 'b']],
    ['spec.restartPolicy=Never', ['b']],
    ['spec.schedulerName=other', ['c']],
    ['status.podIP=10.1.2.3', ['c']],
    ['spec.nodeName=n1,status.phase=Running', []],
  ] satisfies [string, string[]][])('of Pods: %s', async ([selector, names], { ns }) => {
    await ns.create('pods', pod('a'));
    await ns.create('pods', pod('b', { spec: { nodeName: 'n1', restartPolicy: 'Never' } }));
    await ns.create('pods', pod('c', { spec: { schedulerName: 'other' } }));
    await ns.change(`${ns.path('pods', 'c')}/status`, {
      status: { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] },
    });
    expect(await select(ns, 'pods', { fieldSelector: selector })).toEqual(names);
  });

  test('selects Secrets by type', async ({ ns }) => {
    await ns.createKind(kindNamed('Secret'), 'a');
    await ns.create('secrets', { metadata: { name: 'b' }, type: 'example.com/x' });
    expect(await select(ns, 'secrets', { fieldSelector: 'type=example.com/x' })).toEqual(['b']);
    expect(await select(ns, 'secrets', { fieldSelector: 'type!=example.com/x' })).toEqual(['a']);
  });

  test('selects Services by spec.type and spec.clusterIP', async ({ ns }) => {
    const spec = { clusterIP: 'None', selector: { a: 'b' } };
    await ns.create('services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
    expect(await select(ns, 'services', { fieldSelector: 'spec.clusterIP=None' })).toEqual(['a']);
    expect(await select(ns, 'services', { fieldSelector: 'spec.type=ClusterIP' })).toEqual(['a']);
    expect(await select(ns, 'services', { fieldSelector: 'spec.type=NodePort' })).toEqual([]);
  });

  test('selects Events by involvedObject.name, reason and type', async ({ ns }) => {
    await ns.createKind(kindNamed('Event'), 'a');
    expect(await select(ns, 'events', { fieldSelector: 'involvedObject.name=p,reason=Tested' })).toEqual([
      'a',
    ]);
    expect(await select(ns, 'events', { fieldSelector: 'involvedObject.kind!=Pod' })).toEqual([]);
    expect(await select(ns, 'events', { fieldSelector: 'type=Warning' })).toEqual([]);
  });

  test('selects Namespaces by status.phase', async ({ ns }) => {
    const fieldSelector = `metadata.name=${ns.name},status.phase=Active`;
    const list = (await ns.api.get('/api/v1/namespaces', { fieldSelector })).json;
    expect(list.items.map((item) => item.metadata.name)).toEqual([ns.name]);
  });

  test('selects Nodes by spec.unschedulable', async ({ ns }) => {
    const node = kindNamed('Node');
    await ns.createKind(node, ns.name);
    const count = async (value: string) => {
      const fieldSelector = `metadata.name=${ns.name},spec.unschedulable=${value}`;
      return (await ns.api.get('/api/v1/nodes', { fieldSelector })).json.items.length;
    };
    expect([await count('false'), await count('true')]).toEqual([1, 0]);
  });

  test('selects Jobs by status.successful', async ({ ns }) => {
    await ns.createKind(kindNamed('Job'), 'j');
    expect(await select(ns, 'jobs', { fieldSelector: 'status.successful=0' }, 'batch/v1')).toEqual(['j']);
    expect(await select(ns, 'jobs', { fieldSelector: 'status.successful=1' }, 'batch/v1')).toEqual([]);
  });

  test('selects Events by source: its component, otherwise the reporting component', async ({ ns }) => {
    const event = (name: string, more: object) => ({
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace: ns.name, name: 'p' },
      ...more,
    });
    await ns.create('events', event('a', { source: { component: 'x' }, reportingComponent: 'y' }));
    await ns.create('events', event('b', { reportingComponent: 'x', reportingInstance: 'i' }));
    expect(await select(ns, 'events', { fieldSelector: 'source=x' })).toEqual(['a', 'b']);
    expect(await select(ns, 'events', { fieldSelector: 'reportingComponent=x' })).toEqual(['b']);
  });

  test.for([
    [
      'configmaps',
      'foo=bar',
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      'configmaps',
      'metadata.name>b',
      "invalid selector: 'metadata.name>b'; can't understand 'metadata.name>b'",
    ],
    ['pods', 'spec.foo=1', 'field label not supported: spec.foo'],
  ] satisfies [string, string, string][])(
    'that is not supported is a 400: %s %s',
    async ([plural, fieldSelector, message], { ns }) => {
      const expected = { code: 400, reason: 'BadRequest', message };
      expectStatus(await ns.api.get(ns.path(plural), { fieldSelector }), expected);
      expectStatus(await ns.api.get(ns.path(plural), { fieldSelector, watch: 1 }), expected);
    },
  );

  const onlyMetadata = '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"';
  test.for([
    ['nodes', 'v1', 'field label not supported: foo'],
    ['namespaces', 'v1', 'field label not supported: foo'],
    ['services', 'v1', 'field label not supported: foo'],
    ['secrets', 'v1', 'field label not supported: foo'],
    ['events', 'v1', 'field label not supported: foo'],
    ['endpoints', 'v1', onlyMetadata],
    ['endpointslices', 'discovery.k8s.io/v1', onlyMetadata],
    ['leases', 'coordination.k8s.io/v1', onlyMetadata],
    ['deployments', 'apps/v1', onlyMetadata],
    ['replicasets', 'apps/v1', onlyMetadata],
    ['jobs', 'batch/v1', 'field label "foo" not supported for Job'],
  ] satisfies [string, string, string][])(
    'that is not supported, wording of %s',
    async ([plural, apiVersion, message], { api }) => {
      const response = await api.get(`${groupPath(apiVersion)}/${plural}`, { fieldSelector: 'foo=bar' });
      expectStatus(response, { code: 400, reason: 'BadRequest', message });
    },
  );

  test('accepts an escaped equals sign in a value', async ({ ns }) => {
    await ns.create('deployments', deployment('a'));
    expect(await select(ns, 'deployments', { fieldSelector: 'metadata.name=a\\=b' }, 'apps/v1')).toEqual([]);
  });
});
