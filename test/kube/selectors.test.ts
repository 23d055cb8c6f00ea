import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '#dist/apiserver/selectors/label-selector.js';
import { fieldMatcher } from '#dist/src/kube/field-selector.js';
import { labelMatcher } from '#dist/src/kube/label-selector.js';

const LABELS: readonly Readonly<Record<string, string>>[] = [
  {},
  { a: '' },
  { a: '1' },
  { a: '2', b: '1' },
  { a: 'x', 'example.com/b': 'y' },
  { b: '10', constructor: 'x' },
];

describe('labelMatcher', () => {
  it.each([
    '',
    'a',
    '!a',
    ' ! a , b ',
    'a=1',
    'a==1',
    'a = 1, b',
    'a=',
    'a!=1',
    'a!=',
    'a in (1, 2)',
    'a in (1,,2)',
    'a in ()',
    'a notin (1)',
    'a notin (x),example.com/b=y',
    'b>5',
    'b<5',
    'constructor',
    '!constructor',
    'in in (in)',
  ])('selects what the API server selects: %j', (selector) => {
    const { matches } = parseLabelSelector(selector);
    expect(LABELS.map((labels) => labelMatcher(selector)?.(labels))).toEqual(LABELS.map(matches));
  });

  it.each(['a b', 'a=1 b', '(a)', 'a in 1', ','])('is undefined for %j', (selector) => {
    expect(labelMatcher(selector)).toBeUndefined();
  });
});

describe('fieldMatcher', () => {
  const object = {
    metadata: { name: 'a,b', namespace: 'shop' },
    spec: { nodeName: 'n1', unschedulable: false },
    status: { succeeded: 3 },
  };

  it.each([
    ['', true],
    ['spec.nodeName=n1', true],
    ['spec.nodeName==n1,metadata.namespace=shop', true],
    ['spec.nodeName=n1,metadata.namespace!=shop', false],
    ['spec.nodeName!=n2', true],
    ['metadata.name=a\\,b', true],
    ['status.phase=', true],
    ['status.phase!=', false],
    ['status.phase=Running', false],
    ['spec.hostNetwork=false', true],
    ['spec.unschedulable=false', true],
    ['status.successful=3', true],
  ])('evaluates %j', (selector, expected) => {
    expect(fieldMatcher(selector)?.(object)).toBe(expected);
  });

  it('is undefined for what is not a selector', () => {
    expect(fieldMatcher('spec.nodeName')).toBeUndefined();
  });
});
