import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#dist/apiserver/control/kube-object.js';
import { resourceOf, validationCauses } from './support/validation-causes.js';

function named(rest: Record<string, unknown>, name = 'x'): KubeObject {
  return { metadata: { name, namespace: 'ns' }, ...rest };
}

const CONTAINER = { name: 'c', image: 'i' };
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } };

// Fields and messages are those of kube-apiserver 1.36.3.
describe('validation of new objects', () => {
  it.each([
    ['ConfigMap', { data: { 'a/b': '1' } }, ['data[a/b]: Invalid value: "a/b": a valid config key']],
    ['ConfigMap', { data: { '..a': '1' } }, ['data[..a]: Invalid value: "..a": must not start with \'..\'']],
    [
      'ConfigMap',
      { data: { a: '1' }, binaryData: { a: 'AA==' } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      'ConfigMap',
      { data: { a: 'x'.repeat(1_048_577) } },
      ['[]: Too long: may not be more than 1048576 bytes'],
    ],
    [
      'Secret',
      { type: 'kubernetes.io/tls' },
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    [
      'Secret',
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e2E=' } },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'a\' looking for beginning of object key string',
      ],
    ],
    ['Pod', { spec: {} }, ['spec.containers: Required value']],
    [
      'Pod',
      { spec: { containers: [{ name: 'C_', image: '' }], restartPolicy: 'Foo' } },
      [
        'spec.containers[0].name: Invalid value: "C_": a lowercase RFC 1123 label',
        'spec.containers[0].image: Required value',
        'spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
      ],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER, CONTAINER] } },
      ['spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      'Pod',
      { spec: { containers: [{ ...CONTAINER, ports: [{ containerPort: 70_000, protocol: 'X' }] }] } },
      [
        'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.containers[0].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      ],
    ],
    [
      'Pod',
      { spec: { containers: [{ ...CONTAINER, volumeMounts: [{ name: 'nope', mountPath: '/x' }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "nope"'],
    ],
    [
      'Pod',
      { spec: { containers: [{ ...CONTAINER, env: [{ name: 'A', valueFrom: {} }] }] } },
      [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ],
    ],
    [
      'Pod',
      { spec: { containers: [{ ...CONTAINER, livenessProbe: {} }] } },
      ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'Pod',
      {
        spec: { containers: [{ ...CONTAINER, resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }] },
      },
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER], volumes: [{ name: 'v' }, { name: 'v' }] } },
      ['spec.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER], tolerations: [{}] } },
      [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    ['Service', { spec: {} }, ['spec.ports: Required value']],
    [
      'Service',
      { spec: { ports: [{ port: 80 }, { port: 81 }] } },
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'Service',
      {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 80, name: 'b' },
          ],
        },
      },
      [
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
      ],
    ],
    ['Service', { spec: { type: 'ExternalName' } }, ['spec.externalName: Required value']],
    [
      'Deployment',
      { spec: {} },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
    [
      'Deployment',
      { spec: { selector: { matchLabels: { a: 'c' } }, template: TEMPLATE } },
      [
        'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'Deployment',
      { spec: { selector: {}, template: TEMPLATE } },
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'Deployment',
      { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'X' }] }, template: TEMPLATE } },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"X"}]}: invalid label selector',
      ],
    ],
    [
      'Deployment',
      { spec: { replicas: -1, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } },
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['ReplicaSet', { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } }, []],
    [
      'Lease',
      { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      [
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'Event',
      { involvedObject: { namespace: 'other' } },
      ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ],
    [
      'Endpoints',
      { subsets: [{}] },
      ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    ],
    [
      'EndpointSlice',
      { addressType: 'X' },
      ['addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"'],
    ],
  ] as [string, Record<string, unknown>, string[]][])(
    'reports the causes of %s %j',
    (kind, rest, expected) => {
      expect(validationCauses(kind, named(rest))).toEqual(expected);
    },
  );

  it('rejects a Job that would run forever', () => {
    const job = {
      metadata: { name: 'j', namespace: 'ns', uid: 'u' },
      spec: {
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
        template: {
          metadata: { labels: { 'batch.kubernetes.io/controller-uid': 'u' } },
          spec: { containers: [CONTAINER] },
        },
      },
    };
    expect(validationCauses('Job', job)).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
  });

  it('rejects invalid CustomResourceDefinitions', () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const spec = {
      group: 'x.io',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    };
    const define = (change: Record<string, unknown>, name = 'foos.x.io'): string[] =>
      validationCauses('CustomResourceDefinition', {
        metadata: { name },
        spec: { ...spec, ...change },
        status: { storedVersions: ['v1'] },
      });
    expect(define({})).toEqual([]);
    expect(define({}, 'foo.x.io')).toEqual([
      'metadata.name: Invalid value: "foo.x.io": must be spec.names.plural+"."+spec.group',
    ]);
    expect(define({ scope: 'X' })).toEqual([
      'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
    ]);
    expect(define({ group: 'x' }, 'foos.x')).toEqual([
      'spec.group: Invalid value: "x": should be a domain with at least one dot',
    ]);
    expect(define({ versions: [{ name: 'v1', served: true, storage: true }] })).toEqual([
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ]);
    expect(define({ versions: [{ name: 'v1', served: true, storage: false, schema }] })).toEqual([
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
    ]);
  });
});

describe('validation of updates', () => {
  it.each([
    [
      'ConfigMap',
      { immutable: true, data: { a: '1' } },
      { immutable: true, data: { a: '2' } },
      ['data: Forbidden: field is immutable when `immutable` is set'],
    ],
    [
      'ConfigMap',
      { immutable: true, data: { a: '1' } },
      { data: { a: '1' } },
      ['immutable: Forbidden: field is immutable when `immutable` is set'],
    ],
    ['Secret', { type: 'Opaque' }, { type: 'x' }, ['type: Invalid value: "x": field is immutable']],
    [
      'Pod',
      { spec: { containers: [CONTAINER] } },
      { spec: { containers: [{ ...CONTAINER, image: 'j' }] } },
      [],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER] } },
      { spec: { containers: [CONTAINER, { name: 'd', image: 'i' }] } },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER], tolerations: [{ key: 'a' }] } },
      { spec: { containers: [CONTAINER] } },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER] } },
      { spec: { containers: [CONTAINER], tolerations: [{ key: 'a' }] } },
      [],
    ],
    [
      'Pod',
      { spec: { containers: [CONTAINER], activeDeadlineSeconds: 100 } },
      { spec: { containers: [CONTAINER], activeDeadlineSeconds: 200 } },
      ['spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous value'],
    ],
    [
      'Service',
      { spec: { clusterIP: '10.0.0.1', ports: [{ port: 1 }] } },
      { spec: { clusterIP: '10.0.0.2', ports: [{ port: 1 }] } },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ],
    [
      'Deployment',
      { spec: { selector: { matchLabels: { c: 'd' } } } },
      { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } },
      ['spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable'],
    ],
    [
      'EndpointSlice',
      { addressType: 'IPv4' },
      { addressType: 'IPv6' },
      ['addressType: Invalid value: "IPv6": field is immutable'],
    ],
    [
      'Node',
      { spec: { providerID: 'a' } },
      { spec: { providerID: 'b' } },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
  ] as [string, Record<string, unknown>, Record<string, unknown>, string[]][])(
    'reports the causes of a change of %s from %j to %j',
    (kind, before, after, expected) => {
      const metadata = { name: 'x', ...(resourceOf(kind).isNamespaced ? { namespace: 'ns' } : {}) };
      expect(validationCauses(kind, { metadata, ...after }, { metadata, ...before })).toEqual(expected);
    },
  );

  it('rejects other changes of a pod with a diff', () => {
    const before = named({ spec: { containers: [CONTAINER] } });
    const after = named({ spec: { containers: [CONTAINER], nodeName: 'n' } });
    expect(validationCauses('Pod', after, before)).toEqual([
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n- "NodeName": null,\n+ "NodeName": "n",\n',
    ]);
  });

  it('of a status ignores the rules of the spec', () => {
    const before = named({ spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } });
    const after = { ...before, spec: {}, status: { replicas: 1, availableReplicas: 2 } };
    expect(validationCauses('Deployment', after, before, 'status')).toEqual([
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ]);
  });
});
