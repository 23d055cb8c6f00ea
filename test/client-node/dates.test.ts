import * as k8s from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { withDates } from '#dist/src/client-node/dates.js';
import { plainCopy } from '#dist/src/kube/plain-copy.js';

const TIME = '2026-11-17T10:00:00Z';

describe('withDates', () => {
  it('converts the fields of a pod that are dates in client-node', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'a',
        creationTimestamp: TIME,
        annotations: { creationTimestamp: TIME },
        managedFields: [{ time: TIME, fieldsV1: { time: TIME } }],
      },
      spec: { containers: [], nodeSelector: { startTime: TIME } },
      status: {
        startTime: TIME,
        conditions: [{ type: 'Ready', lastTransitionTime: TIME, lastProbeTime: null }],
        containerStatuses: [{ state: { running: { startedAt: TIME } } }],
      },
    };
    const before = structuredClone(pod);
    const date = new Date(TIME);
    const converted = withDates(pod);
    expect(converted).toEqual({
      ...pod,
      metadata: {
        ...pod.metadata,
        creationTimestamp: date,
        managedFields: [{ time: date, fieldsV1: { time: TIME } }],
      },
      status: {
        startTime: date,
        conditions: [{ type: 'Ready', lastTransitionTime: date, lastProbeTime: null }],
        containerStatuses: [{ state: { running: { startedAt: date } } }],
      },
    });
    expect(pod).toEqual(before);
    expect(converted.spec).toBe(pod.spec);
  });

  it.each(['apps/v1', 'discovery.k8s.io/v1'])('converts kinds of %s', (apiVersion) => {
    expect(withDates({ apiVersion, status: { lastUpdateTime: TIME } } as object)).toEqual({
      apiVersion,
      status: { lastUpdateTime: new Date(TIME) },
    });
  });

  it('converts only the metadata of custom resources', () => {
    const widget = { apiVersion: 'example.com/v1', metadata: { creationTimestamp: TIME }, startTime: TIME };
    expect(withDates(widget as object)).toEqual({
      ...widget,
      metadata: { creationTimestamp: new Date(TIME) },
    });
  });

  it('leaves invalid dates unchanged', () => {
    const odd = { apiVersion: 'v1', metadata: { creationTimestamp: 'soon' }, data: { time: TIME } };
    expect(withDates(odd as object)).toBe(odd);
  });

  it("knows every date field of client-node's models", () => {
    const names = Object.values(k8s).flatMap((model) =>
      typeof model === 'function' && 'getAttributeTypeMap' in model
        ? (model as unknown as typeof k8s.V1Pod)
            .getAttributeTypeMap()
            .filter(({ type }) => /Date|MicroTime/.test(type))
            .map(({ baseName }) => baseName)
        : [],
    );
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      expect(withDates({ apiVersion: 'v1', [name]: TIME } as object)).toEqual({
        apiVersion: 'v1',
        [name]: new Date(TIME),
      });
    }
  });
});

describe('the plain copy of an answer', () => {
  it('converts models to the names and strings of the API', () => {
    const policy = Object.assign(new k8s.V1NetworkPolicyIngressRule(), { _from: [], ports: undefined });
    const meta = Object.assign(new k8s.V1ObjectMeta(), { name: 'a', creationTimestamp: new Date(TIME) });
    expect(plainCopy<unknown>({ items: [policy], meta, none: null, n: 1 })).toEqual({
      items: [{ from: [] }],
      meta: { name: 'a', creationTimestamp: TIME },
      none: null,
      n: 1,
    });
    expect(plainCopy<unknown>(new Date('2026-11-17T10:00:00.250Z'))).toBe('2026-11-17T10:00:00.250Z');
  });
});
