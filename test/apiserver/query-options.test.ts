import { describe, expect, test } from 'vitest';
import { type ListOptions, parseListOptions } from '#dist/apiserver/requests/query-options.js';
import { timeoutParameter } from '#dist/apiserver/requests/query-parameter.js';
import { StatusError } from '#dist/apiserver/status-error.js';

function parse(query: string, watchList: 'on' | 'off' = 'on'): ListOptions {
  const parameters = new URLSearchParams(query);
  return parseListOptions(parameters, { isWatch: parameters.has('watch'), watchList });
}

function refusalOf(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const messageOf = (query: string, watchList?: 'on' | 'off'): string =>
  refusalOf(() => parse(query, watchList)).message;

const INVALID = 'ListOptions.meta.k8s.io "" is invalid: ';

test('an empty query is a plain list', () => {
  expect(parse('')).toEqual({
    labelSelector: '',
    fieldSelector: '',
    shardSelector: '',
    resourceVersion: '',
    resourceVersionMatch: '',
    limit: 0,
    continue: '',
    timeoutSeconds: undefined,
    timeoutMs: undefined,
    allowWatchBookmarks: false,
    sendInitialEvents: undefined,
    pretty: undefined,
  });
});

test('every parameter is parsed', () => {
  expect(
    parse(
      'labelSelector=a%3Db&fieldSelector=c%3Dd&shardSelector=e&resourceVersion=7&resourceVersionMatch=NotOlderThan' +
        '&limit=500&timeoutSeconds=30&timeout=1m30s&allowWatchBookmarks=1&pretty=true&nobody=knows',
    ),
  ).toEqual({
    labelSelector: 'a=b',
    fieldSelector: 'c=d',
    shardSelector: 'e',
    resourceVersion: '7',
    resourceVersionMatch: 'NotOlderThan',
    limit: 500,
    continue: '',
    timeoutSeconds: 30,
    timeoutMs: 90_000,
    allowWatchBookmarks: true,
    sendInitialEvents: undefined,
    pretty: true,
  });
});

describe('a parameter that cannot be parsed is a 400', () => {
  test.each([
    ['limit=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=1_0', 'strconv.ParseInt: parsing "1_0": invalid syntax'],
    ['limit=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['timeoutSeconds=x&limit=y', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['watch=1&timeoutSeconds=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['timeout=abc', 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
    ['timeout=5', 'invalid timeout specified in the request URL - time: missing unit in duration "5"'],
    ['timeout=1d', 'invalid timeout specified in the request URL - time: unknown unit "d" in duration "1d"'],
  ])('as in %s', (query, message) => {
    const { body } = refusalOf(() => parse(query));
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'BadRequest',
      code: 400,
    });
  });

  test('except the timeout of a watch, which is ignored', () => {
    expect(parse('watch=1&timeout=abc').timeoutMs).toBeUndefined();
  });
});

test.each([
  ['timeout=30s', 30_000],
  ['timeout=1.5h', 5_400_000],
  ['timeout=2m3s4ms', 123_004],
  ['timeout=%2B.5s', 500],
  ['timeout=0', undefined],
  ['timeout=-1s', undefined],
  ['timeout=', undefined],
])('the deadline of %s is %s ms', (query, ms) => {
  expect(timeoutParameter(new URLSearchParams(query))).toBe(ms);
});

const NEEDS_VERSION =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
const NOT_WITH_CONTINUE =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided';
const NOT_FOR_LIST = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
const NEEDS_MATCH =
  'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
const GATE_OFF =
  'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
const NEEDS_SIE =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';

describe('invalid combinations of list options are a 422', () => {
  test.each([
    ['resourceVersionMatch=Exact', NEEDS_VERSION],
    ['resourceVersionMatch=NotOlderThan', NEEDS_VERSION],
    ['resourceVersion=4&resourceVersionMatch=Exact&continue=x', NOT_WITH_CONTINUE],
    ['resourceVersionMatch=NotOlderThan&continue=x', `[${NEEDS_VERSION}, ${NOT_WITH_CONTINUE}]`],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersion=4&resourceVersionMatch=Foo',
      'resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersionMatch=Foo',
      `[${NEEDS_VERSION}, resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""]`,
    ],
    ['sendInitialEvents=true', NOT_FOR_LIST],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', `[${NEEDS_VERSION}, ${NOT_FOR_LIST}]`],
  ])('as in %s', (query, text) => {
    expect(messageOf(query)).toBe(INVALID + text);
  });

  test('that lists all causes in its body', () => {
    expect(
      refusalOf(() => parse('sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).body,
    ).toMatchObject({
      reason: 'Invalid',
      details: {
        group: 'meta.k8s.io',
        kind: 'ListOptions',
        causes: [
          {
            reason: 'FieldValueForbidden',
            message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
            field: 'resourceVersionMatch',
          },
          {
            reason: 'FieldValueForbidden',
            message: 'Forbidden: sendInitialEvents is forbidden for list',
            field: 'sendInitialEvents',
          },
        ],
      },
      code: 422,
    });
  });
});

describe('invalid combinations of watch options are a 422', () => {
  test.each([
    ['watch=1&sendInitialEvents=true', NEEDS_MATCH],
    ['watch=1&sendInitialEvents=false', NEEDS_MATCH],
    ['watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=0', NEEDS_SIE],
    [
      'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=4',
      `[${NEEDS_MATCH}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    ['watch=1&continue=x', NOT_WITH_CONTINUE],
  ])('as in %s', (query, text) => {
    expect(messageOf(query)).toBe(INVALID + text);
  });

  test('with other causes when the WatchList gate is off', () => {
    const triple = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1';
    expect(messageOf(triple, 'off')).toBe(INVALID + GATE_OFF);
    expect(messageOf('watch=1&sendInitialEvents=true', 'off')).toBe(
      `${INVALID}[${NEEDS_MATCH}, ${GATE_OFF}]`,
    );
    expect(parse('watch=1&continue=x', 'off').sendInitialEvents).toBeUndefined();
  });
});

describe('sendInitialEvents', () => {
  test('is true for a legacy watch from "" and "0", only with the gate on', () => {
    expect(parse('watch=1')).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    expect(parse('watch=1&resourceVersion=0').sendInitialEvents).toBe(true);
    expect(parse('watch=1&resourceVersion=5').sendInitialEvents).toBeUndefined();
    expect(parse('watch=1', 'off').sendInitialEvents).toBeUndefined();
  });

  test('is undefined, true or false', () => {
    const match = 'resourceVersionMatch=NotOlderThan';
    expect(parse(`watch=1&sendInitialEvents=false&${match}`).sendInitialEvents).toBe(false);
    expect(parse(`watch=1&sendInitialEvents=maybe&${match}`).sendInitialEvents).toBe(true);
  });

  test('is validated as in a list on a deprecated watch path', () => {
    const query = new URLSearchParams('sendInitialEvents=true');
    expect(refusalOf(() => parseListOptions(query, { isWatch: true })).message).toBe(INVALID + NOT_FOR_LIST);
    expect(parseListOptions(new URLSearchParams(), { isWatch: true }).sendInitialEvents).toBeUndefined();
  });
});
