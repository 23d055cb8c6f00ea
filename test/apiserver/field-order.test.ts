import { describe, expect, it } from 'vitest';
import { encodeJson, parseJson } from '#dist/apiserver/json.js';
import { orderCustom, orderMetadata, orderTyped } from '#dist/apiserver/objects/field-order.js';

/** What kube-apiserver 1.36.3 sent. */
const WIRE: [group: string, kind: string, text: string][] = [
  [
    '',
    'Pod',
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p2","namespace":"ns","uid":"31eda076-0df1-4eba-921f-55405b16461f","resourceVersion":"346","generation":1,"creationTimestamp":"2026-11-17T16:47:25Z","labels":{"app":"x"},"annotations":{"a":"b","z":"\\u003c\\u0026\\u003e\\u2028"},"managedFields":[{"manager":"sampler","operation":"Update","apiVersion":"v1","time":"2026-11-17T16:47:25Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:nodeName":{}}}}]},"spec":{"volumes":[{"name":"v","emptyDir":{}},{"name":"cm","configMap":{"name":"x","defaultMode":420}}],"containers":[{"name":"c","image":"nginx","ports":[{"containerPort":80,"protocol":"TCP"}],"env":[{"name":"A","value":"b"}],"resources":{"limits":{"cpu":"100m"},"requests":{"cpu":"100m","memory":"1Gi"}},"volumeMounts":[{"name":"v","mountPath":"/v"}],"readinessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeName":"n1","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"operator":"Exists"}],"enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Burstable"}}',
  ],
  [
    '',
    'Event',
    '{"kind":"Event","apiVersion":"v1","metadata":{"name":"ev.1","namespace":"ns"},"involvedObject":{"kind":"Pod","namespace":"ns","name":"p"},"reason":"R","message":"hi","source":{},"firstTimestamp":null,"lastTimestamp":null,"type":"Normal","eventTime":null,"reportingComponent":"","reportingInstance":""}',
  ],
  [
    '',
    'Secret',
    '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"sec"},"data":{"a":"Yg==","b":"Yw=="},"type":"Opaque"}',
  ],
  [
    '',
    'ConfigMap',
    '{"metadata":{"name":"cm"},"immutable":false,"data":{"a":"1"},"binaryData":{"b":"AA=="}}',
  ],
  [
    'discovery.k8s.io',
    'EndpointSlice',
    '{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"es"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true}}],"ports":null}',
  ],
  [
    'apps',
    'Deployment',
    '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
  ],
];

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

describe('the JSON of a built-in kind', () => {
  it.each(WIRE)('has the fields of %s %s in the order of the Go struct', (group, kind, text) => {
    const shuffled = reversed(parseJson(text)) as Record<string, unknown>;
    expect(encodeJson(orderTyped({ group, kind }, shuffled))).toBe(text);
  });

  it('omits what Go omits and includes what Go always encodes', () => {
    const pod = {
      spec: { hostNetwork: false, nodeName: '', volumes: [], nodeSelector: {}, securityContext: {} },
    };
    expect(encodeJson(orderTyped({ group: '', kind: 'Pod' }, pod))).toBe(
      '{"metadata":{},"spec":{"containers":null,"securityContext":{}},"status":{}}',
    );
  });

  it('has null for unset times of conditions', () => {
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    expect(encodeJson(orderTyped({ group: '', kind: 'Pod' }, { status })['status'])).toBe(
      '{"conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null}]}',
    );
  });

  it('has unknown fields after the others', () => {
    const object = { zz: 1, data: { b: '1', a: '2' }, aa: 2, metadata: { foo: 1, name: 'x' } };
    expect(encodeJson(orderTyped({ group: '', kind: 'ConfigMap' }, object))).toBe(
      '{"metadata":{"name":"x","foo":1},"data":{"a":"2","b":"1"},"zz":1,"aa":2}',
    );
  });

  it('may have __proto__ as a key', () => {
    const object = parseJson('{"data":{"__proto__":"x"},"metadata":{"name":"a"}}') as Record<string, unknown>;
    expect(encodeJson(orderTyped({ group: '', kind: 'ConfigMap' }, object))).toBe(
      '{"metadata":{"name":"a"},"data":{"__proto__":"x"}}',
    );
  });
});

it('metadata has the field order of ObjectMeta, managedFields last', () => {
  const metadata = {
    managedFields: [{ operation: 'Update', manager: 'm' }],
    labels: { b: '1', a: '2' },
    name: 'x',
  };
  expect(encodeJson(orderMetadata(metadata))).toBe(
    '{"name":"x","labels":{"a":"2","b":"1"},"managedFields":[{"manager":"m","operation":"Update"}]}',
  );
});

it('the JSON of a custom resource has all keys sorted and exact long integers', () => {
  const object = parseJson('{"spec":{"size":9007199254740993,"color":"red"},"apiVersion":"x/v1"}');
  expect(encodeJson(orderCustom(object as Record<string, unknown>))).toBe(
    '{"apiVersion":"x/v1","spec":{"color":"red","size":9007199254740993}}',
  );
});
