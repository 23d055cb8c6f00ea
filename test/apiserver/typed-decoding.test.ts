import { describe, expect, it } from 'vitest';
import { parseJson } from '#dist/apiserver/json.js';
import { decodeTyped } from '#dist/apiserver/objects/typed-decoding.js';

const pods = { group: '', kind: 'Pod' };
const configMaps = { group: '', kind: 'ConfigMap' };
const secrets = { group: '', kind: 'Secret' };
const services = { group: '', kind: 'Service' };

describe('decoding an object of a built-in kind', () => {
  it('drops unknown fields and reports them', () => {
    const spec = { zoo: 1, containers: [{ name: 'c', foo: 1, env: [{ name: 'A', bar: 1 }] }] };
    const { object, unknownFields } = decodeTyped(pods, { kind: 'Pod', apiVersion: 'v1', spec });
    expect(unknownFields).toEqual(['spec.zoo', 'spec.containers[0].foo', 'spec.containers[0].env[0].bar']);
    expect(object).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      spec: { containers: [{ name: 'c', env: [{ name: 'A' }] }] },
    });
  });

  it('treats null as missing, and as the zero value inside a map', () => {
    const decoded = decodeTyped(configMaps, { immutable: null, data: { a: null } });
    expect(decoded.object).toEqual({ data: { a: '' } });
  });

  it('canonicalizes quantities and times', () => {
    const requests = { cpu: '0.1', memory: '1024Mi', storage: 1, x: '1e3' };
    const object = {
      metadata: { creationTimestamp: '2026-11-17T18:00:00.5+02:00' } as Record<string, unknown>,
      spec: { containers: [{ name: 'c', resources: { requests } }] },
    };
    expect(decodeTyped(pods, object).object).toEqual({
      metadata: { creationTimestamp: '2026-11-17T16:00:00Z' },
      spec: {
        containers: [
          { name: 'c', resources: { requests: { cpu: '100m', memory: '1Gi', storage: '1', x: '1e3' } } },
        ],
      },
    });
    const lease = decodeTyped(
      { group: 'coordination.k8s.io', kind: 'Lease' },
      { spec: { renewTime: '2026-11-17T16:00:00.12Z' } },
    );
    expect(lease.object).toEqual({ spec: { renewTime: '2026-11-17T16:00:00.120000Z' } });
  });

  it('leaves custom resources unchanged', () => {
    const object = { spec: { anything: [null] } };
    expect(decodeTyped({ group: 'x.io', kind: 'Pod' }, object)).toEqual({ object, unknownFields: [] });
  });

  // Seen on kube-apiserver 1.36.3, behind `Pod in version "v1" cannot be handled as a Pod: `.
  it.each([
    [
      pods,
      '{"metadata":{"labels":{"a":1}}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      pods,
      '{"metadata":{"labels":["a"]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      pods,
      '{"metadata":{"name":5}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      pods,
      '{"metadata":"x"}',
      'json: cannot unmarshal string into Go struct field Pod.metadata of type v1.ObjectMeta',
    ],
    [pods, '{"spec":[]}', 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
    [
      pods,
      '{"spec":{"containers":{}}}',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      pods,
      '{"spec":{"containers":[{"name":1}]}}',
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      pods,
      '{"spec":{"containers":[{"ports":[{"containerPort":"x"}]}]}}',
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      pods,
      '{"spec":{"containers":[{"ports":[{"containerPort":99999999999}]}]}}',
      'json: cannot unmarshal number 99999999999 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      pods,
      '{"spec":{"hostNetwork":"yes"}}',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      pods,
      '{"spec":{"terminationGracePeriodSeconds":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      pods,
      '{"spec":{"containers":[{"resources":{"requests":{"cpu":"abc"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      pods,
      '{"metadata":{"creationTimestamp":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      pods,
      '{"metadata":{"creationTimestamp":5}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [secrets, '{"data":{"a":"not base64!"}}', 'illegal base64 data at input byte 3'],
    [
      secrets,
      '{"data":{"a":1}}',
      'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
    ],
    [
      configMaps,
      '{"data":"x"}',
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      configMaps,
      '{"binaryData":[]}',
      'json: cannot unmarshal array into Go struct field ConfigMap.binaryData of type map[string][]uint8',
    ],
    [
      services,
      '{"spec":{"ports":[{"targetPort":true}]}}',
      'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
  ])('rejects %j %s', (resource, text, message) => {
    const object = parseJson(text) as Record<string, unknown>;
    expect(() => decodeTyped(resource, object)).toThrow(new Error(message));
  });
});
