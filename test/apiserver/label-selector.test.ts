import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '#dist/apiserver/selectors/label-selector.js';

const LABEL_VALUE_WORDS =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_KEY_WORDS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('a label selector', () => {
  it.each([
    ['', {}, true],
    ['  ', { a: 'b' }, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['! a', { a: 'b' }, false],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a==b', { a: 'b' }, true],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a!=', { a: '' }, false],
    ['a in (b, c)', { a: 'c' }, true],
    ['a in (b,c)', {}, false],
    ['a in (,c)', { a: '' }, true],
    ['a in (c,)', { a: '' }, true],
    ['a in (b,,c)', { a: '' }, true],
    ['a in ()', { a: '' }, true],
    ['a notin (b,c)', {}, true],
    ['a notin (b,c)', { a: 'b' }, false],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['in', { in: '' }, true],
    ['a=in,b=notin', { a: 'in', b: 'notin' }, true],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: '1' }, false],
    ['a>1', { a: 'x' }, false],
    ['a<9007199254740993', { a: '9007199254740992' }, true],
    ['a<3', {}, false],
    ['a=b,c!=d , e', { a: 'b', e: '' }, true],
    ['a=b,c!=d,e', { a: 'b', c: 'd', e: '' }, false],
    ['example.com/app=x', { 'example.com/app': 'x' }, true],
    ['constructor', {}, false],
  ] as [string, Record<string, string>, boolean][])(
    '%j applied to %j matches: %j',
    (text, labels, expected) => {
      expect(() => parseLabelSelector(text)).not.toThrow();
      expect(parseLabelSelector(text).matches(labels)).toBe(expected);
    },
  );

  it('is empty when it has no requirement', () => {
    expect(parseLabelSelector('').isEmpty).toBe(true);
    expect(parseLabelSelector('a').isEmpty).toBe(false);
  });

  it.each([
    ['a===', "unable to parse requirement: found '=', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a=++', `unable to parse requirement: values[0][a]: Invalid value: "++": ${LABEL_VALUE_WORDS}`],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a+b=c', `unable to parse requirement: <nil>: Invalid value: "a+b": name part ${LABEL_KEY_WORDS}`],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [
      `a=${'b'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'b'.repeat(64)}": must be no more than 63 bytes`,
    ],
    ['a in (b,+)', `unable to parse requirement: values[0][a]: Invalid value: "+": ${LABEL_VALUE_WORDS}`],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('is rejected as kube-apiserver does: %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new Error(message));
  });
});
