import { describe, expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '#dist/apiserver/resources/built-in-resources.js';
import { parseFieldSelector } from '#dist/apiserver/selectors/field-selector.js';
import { selectableField } from '#dist/apiserver/selectors/selectable-field.js';

const configMaps = { kind: 'ConfigMap', isCustom: false, isNamespaced: true, selectableFields: {} };
const pods = {
  kind: 'Pod',
  isCustom: false,
  isNamespaced: true,
  selectableFields: {
    'spec.nodeName': 'spec.nodeName',
    'spec.host': 'spec.nodeName',
    'spec.hostNetwork': 'spec.hostNetwork',
    'status.phase': 'status.phase',
  },
};
const nodes = {
  kind: 'Node',
  isCustom: false,
  isNamespaced: false,
  selectableFields: { 'spec.unschedulable': 'spec.unschedulable' },
};
const jobs = {
  kind: 'Job',
  isCustom: false,
  isNamespaced: true,
  selectableFields: { 'status.successful': 'status.succeeded' },
};
const widgets = {
  kind: 'Widget',
  isCustom: true,
  isNamespaced: true,
  selectableFields: { 'spec.color': 'spec.color' },
};

const pod = {
  metadata: { name: 'p', namespace: 'ns' },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
};

function matchesPod(text: string): boolean {
  return parseFieldSelector(text, pods).matches((path) => selectableField(pod, path, false));
}

describe('a field selector', () => {
  it.each([
    ['', true],
    [',', true],
    ['metadata.name=p', true],
    ['metadata.name==p,metadata.namespace=ns', true],
    ['metadata.name!=p', false],
    ['spec.nodeName=n1', true],
    ['spec.host=n1', true],
    ['spec.nodeName=', false],
    ['spec.hostNetwork=false', true],
    ['status.phase!=Succeeded,status.phase!=Failed', true],
    ['status.phase=Pending', false],
  ])('%j matches the pod: %j', (text, expected) => {
    expect(matchesPod(text)).toBe(expected);
  });

  it('determines the only name and namespace that can match', () => {
    expect(parseFieldSelector('metadata.name=a,metadata.namespace=b', configMaps)).toMatchObject({
      requiredName: 'a',
      requiredNamespace: 'b',
      isEmpty: false,
    });
    const open = parseFieldSelector('metadata.name!=a', configMaps);
    expect(open.requiredName).toBeUndefined();
    expect(open.requiredNamespace).toBeUndefined();
    expect(parseFieldSelector('', configMaps).isEmpty).toBe(true);
  });

  it('accepts escaped backslashes, commas and equals signs', () => {
    const selector = parseFieldSelector(String.raw`spec.color=a\,b\=c\\d`, widgets);
    expect(selector.matches(() => String.raw`a,b=c\d`)).toBe(true);
  });

  it.each([
    [
      'foo=bar',
      configMaps,
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['spec.foo=1', pods, 'field label not supported: spec.foo'],
    ['spec.size=1', widgets, 'field label not supported: spec.size'],
    ['status.succeeded=1', jobs, 'field label "status.succeeded" not supported for Job'],
    ['metadata.namespace=a', nodes, 'field label not supported: metadata.namespace'],
    [
      'metadata.name>b',
      configMaps,
      "invalid selector: 'metadata.name>b'; can't understand 'metadata.name>b'",
    ],
    ['foo=1,bar', pods, "invalid selector: 'foo=1,bar'; can't understand 'bar'"],
    ['metadata.name=a=b', pods, 'invalid field selector: unescaped character in value: 61'],
    [String.raw`metadata.name=a\b`, pods, String.raw`invalid field selector: invalid escape sequence: \b`],
    ['metadata.name=a\\', pods, 'invalid field selector: invalid escape sequence: \\'],
  ])('is rejected as kube-apiserver does: %j', (text, resource, message) => {
    expect(() => parseFieldSelector(text, resource)).toThrow(new Error(message));
  });
});

describe('a selectable field', () => {
  it('is the zero value where JSON omits the field', () => {
    expect(selectableField({}, 'spec.unschedulable', false)).toBe('false');
    expect(selectableField({ status: {} }, 'status.succeeded', false)).toBe('0');
    expect(selectableField({ spec: {} }, 'spec.unschedulable', true)).toBe('');
  });

  it("of an event's source is read from either field", () => {
    expect(selectableField({ source: { component: 'kubelet' } }, 'source', false)).toBe('kubelet');
    expect(selectableField({ source: {}, reportingComponent: 'x' }, 'source', false)).toBe('x');
  });
});

describe('the selectable fields of a built-in kind', () => {
  const resourceOf = (kind: string) => BUILT_IN_RESOURCES.find((resource) => resource.kind === kind)!;
  const other = { ...pod, status: { podIPs: [{ ip: '10.0.0.1' }] } };

  it.each([
    ['Pod', 'spec.nodeName=n1,spec.host=n1,spec.hostNetwork=false,status.phase=', other],
    ['Pod', 'status.podIPs=', other],
    ['Node', 'spec.unschedulable=true', { spec: { unschedulable: true } }],
    ['Job', 'status.successful=3', { status: { succeeded: 3 } }],
    ['Job', 'status.successful=0', {}],
    ['Event', 'source=kubelet', { reportingComponent: 'kubelet' }],
    ['Event', 'source=kubelet', { source: { component: 'kubelet' }, reportingComponent: 'x' }],
    ['CustomResourceDefinition', 'metadata.namespace=', {}],
  ])('include those of %s: %s', (kind, text, object) => {
    const selector = parseFieldSelector(text, resourceOf(kind));
    expect(selector.matches((path) => selectableField(object, path, false))).toBe(true);
  });

  it('are those of the real server', () => {
    expect(() => parseFieldSelector('status.replicas=0', resourceOf('ReplicaSet'))).toThrow(
      '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
});
