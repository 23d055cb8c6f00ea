import { describe, expect, it } from 'vitest';
import { Differential } from '../../fuzz/differential.js';
import { generatedDocuments, goldenDocuments } from '../../fuzz/real-documents.js';
import { HOSTILE_OBJECTS } from '../../support/objects/hostile-objects.js';

const METADATA = '"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"1"}';

function pod(value: string, field = 'other'): Buffer {
  return Buffer.from(`{"kind":"Pod","apiVersion":"v1",${METADATA},"${field}":${value}}`);
}

/** With a title that is not as long as the case. */
function titled(cases: readonly string[]): [title: string, text: string][] {
  return cases.map((text) => [JSON.stringify(text).slice(0, 60), text]);
}

/** JSON that JSON.parse takes: the module must take it itself. */
const VALID: readonly string[] = [
  ...['null', 'true', 'false', '{}', '[]', '[[]]', '[{}]', '{"a":{}}', '""', '[null,true,false]'],
  ...[
    '0',
    '-0',
    '1',
    '-1',
    '63',
    '64',
    '127',
    '128',
    '255',
    '256',
    '65535',
    '65536',
    '4294967295',
    '4294967296',
  ],
  ...['-127', '-128', '-129', '-32768', '-32769', '-2147483648', '-2147483649', '9007199254740993'],
  ...['1234567890123456789', '9999999999999999999', '18446744073709551616', `1${'0'.repeat(400)}`],
  ...[
    '0.1',
    '1.0',
    '-0.0',
    '1e3',
    '1E3',
    '1e+3',
    '1e-3',
    '-1.5e300',
    '5e-324',
    '2.2250738585072011e-308',
    '1e400',
  ],
  ...[
    '0.30000000000000004',
    '123456789.123456789',
    '0e0',
    '-0e-0',
    '1e0',
    '100e-2',
    '4294967295.0',
    '1.7976931348623157e308',
  ],
  ...[
    '"\\""',
    '"\\\\"',
    '"\\/"',
    '"\\b\\f\\n\\r\\t"',
    '"\\u0041"',
    '"\\u0000"',
    '"\\uD83D\\uDE00"',
    '"\\ud83d\\ude00x"',
  ],
  ...[
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\ud800"',
    '"\\ud800a"',
    '"\\udc00\\ud800"',
    '"\\ud800\\u0041"',
    '"é\\ud800"',
  ],
  ...[
    '"é"',
    '"€"',
    '"😀"',
    '"\u007f"',
    '"\u2028\u2029"',
    '"\ufeff"',
    '"\u0080"',
    '"\u07ff\u0800\uffff"',
    '"\u{10ffff}"',
  ],
  ...[
    '{"a":1,"a":2}',
    '{"a":{"b":1},"a":3,"c":4}',
    '{"":1}',
    '{"a b":1}',
    '{"1":1,"0":2,"a":3}',
    '{"\\u0061":1,"a":2}',
  ],
  ...['{"__proto__":1}', '{"constructor":{"prototype":1}}', '{"a":1,"__proto__":{"b":2},"c":3}'],
  ...[' [ 1 , 2 ] ', '\t{\n"a"\r:\n1\t,"b" : [ ] }\n', `{${' '.repeat(100)}"a":1}`, `[${'\n'.repeat(33)}]`],
  ...[14, 15, 16, 17, 30, 31, 32, 33, 63, 64, 65, 255, 256, 257, 65535, 65536].map((n) =>
    JSON.stringify('x'.repeat(n)),
  ),
  ...[14, 15, 16, 17, 31, 32, 33, 64, 65].map((n) => `{"${'k'.repeat(n)}":1,"${'k'.repeat(n)}2":2}`),
  ...[15, 16, 17, 65535, 65536].map((n) => `[${Array.from({ length: n }, () => '1').join()}]`),
  ...[15, 16, 17, 64, 65, 300].map((n) => `{${Array.from({ length: n }, (_, i) => `"f${i}":${i}`).join()}}`),
  ...[15, 16, 17, 70_000].map(
    (n) => `{"labels":{${Array.from({ length: n }, (_, i) => `"k/${i}":""`).join()}}}`,
  ),
  // A record that turns out to be a map, at its first, a middle and its last key, and within another.
  ...[
    '{"a.b":1,"c":2}',
    '{"a":"x","b":[1,{"c":2}],"d.e":3,"f":4}',
    '{"a":1,"b":{"c":1,"d-e":{"f":1,"g h":2}},"i/j":3}',
  ],
];

const INVALID: readonly string[] = [
  ...[
    '',
    ' ',
    'nul',
    'nulL',
    'tru',
    'fals',
    'True',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    '+1',
    "'a'",
    '`a`',
  ],
  ...[
    '01',
    '-01',
    '00',
    '1.',
    '.1',
    '-.1',
    '-',
    '1e',
    '1e+',
    '1.e1',
    '0x1',
    '1_000',
    '1a',
    '--1',
    '1 2',
    '1.2.3',
    '1e1.5',
  ],
  ...[
    '"',
    '"a',
    '"\\',
    '"\\"',
    '"\\x41"',
    '"\\é"',
    '"\\\\\\é"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\U0041"',
    '"\\u"',
    '"\u0000"',
    '"\u001f"',
    '"\n"',
    '"\t"',
  ],
  ...[
    '[',
    ']',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1,,2]',
    '[1}',
    '{',
    '}',
    '{]',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
  ],
  ...[
    '{"a":1,}',
    '{,"a":1}',
    '{"a" 1}',
    '{"a"::1}',
    '{a:1}',
    '{1:1}',
    '{"a":1 "b":2}',
    '{"a":1]',
    '{null:1}',
    '{"a":}',
  ],
  ...['/* */1', '1//', '[1]]', '{}}', '\u00a01', '\ufeff1', '\u000b1', '\u000c1', '1\u2028'],
];

/** Bytes that are not UTF-8, within a string. */
const NOT_UTF8: readonly (readonly number[])[] = [
  ...[
    [0x80],
    [0xbf],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xc2],
    [0xc2, 0x41],
    [0xe0, 0x80, 0x80],
    [0xe0, 0x9f, 0xbf],
  ],
  ...[
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xf0, 0x80, 0x80, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
  ],
  ...[[0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xfe], [0xf0, 0x9f, 0x98]],
];

describe('the module and the reference decoder', { timeout: 120_000 }, () => {
  it.each(titled(VALID))('accept %s, with the same result', async (_, value) => {
    const differential = await Differential.open();
    expect(differential.item(pod(value))).toBe('accepted');
    expect(differential.item(pod(`[0,${value},{"x":${value}}]`)), 'in an array and an object').toBe(
      'accepted',
    );
    expect(
      differential.item(pod(`{"list":[{"dropped":${value}}],"dropped":${value}}`, 'spec')),
      'dropped',
    ).toBe('accepted');
    const event = Buffer.concat([
      Buffer.from('{"type":"MODIFIED","object":'),
      pod(value),
      Buffer.from('}\n'),
    ]);
    expect(differential.event(event)).toBe('accepted');
    differential.close();
  });

  it.each(titled(INVALID))('both reject %s', async (_, value) => {
    const differential = await Differential.open();
    expect(differential.item(pod(value))).toBe('invalid');
    expect(differential.item(pod(`{"a":{"b":[${value}]}}`))).toBe(
      value.trim() === '' ? 'accepted' : 'invalid',
    );
    expect(differential.item(pod(`{"dropped":${value}}`, 'spec')), 'dropped').toBe('invalid');
    differential.close();
  });

  it.each(NOT_UTF8)('both reject bytes that are not UTF-8: %j', async (...bytes) => {
    const differential = await Differential.open();
    const document = (before: string, after: string): Buffer =>
      Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const start = `{"kind":"Pod","apiVersion":"v1",${METADATA},`;
    expect(differential.item(document(`${start}"other":"`, '"}'))).toBe('invalid');
    expect(differential.item(document(`${start}"other":{"`, '":1}}'))).toBe('invalid');
    expect(differential.item(document(`${start}"spec":{"dropped":"`, '"}}'))).toBe('invalid');
    expect(differential.item(document(`${start}"other":"`, ''))).toBe('invalid');
    differential.close();
  });

  it('agree on every prefix of a document', async () => {
    const differential = await Differential.open();
    const document = pod('{"a":"é\\ud83d\\ude00","b":[1.5e3,-0,true],"c":{"d.e":null}}');
    for (let end = 0; end < document.length; end++) differential.item(document.subarray(0, end));
    expect(differential.verdicts.accepted).toBe(0);
    differential.close();
  });

  it('agree at the maximum depth and above, for everything that can be nested', async () => {
    const differential = await Differential.open({}, 20);
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['{"a.b":', '}'],
      ['{"a":[', ']}'],
    ] as const) {
      for (const levels of [8, 9, 10, 17, 18, 19, 20, 21, 40]) {
        differential.item(pod(`${open.repeat(levels)}1${close.repeat(levels)}`));
        differential.item(pod(`{"dropped":${open.repeat(levels)}1${close.repeat(levels)}}`, 'spec'));
        differential.event(
          Buffer.from(`{"type":"ADDED","object":${pod(`${open.repeat(levels)}1${close.repeat(levels)}`)}}`),
        );
      }
    }
    expect(differential.verdicts.invalid).toBeGreaterThan(0);
    expect(differential.verdicts.accepted).toBeGreaterThan(0);
    differential.close();
  });

  it('agree on duplicate keys in headers, index paths and dropped paths', async () => {
    const differential = await Differential.open();
    for (const document of [
      `{"kind":"Pod","apiVersion":"v1",${METADATA},${METADATA}}`,
      `{"kind":"Pod","kind":"Pod","apiVersion":"v1",${METADATA}}`,
      `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","name":"b","resourceVersion":"1"}}`,
      `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","n\\u0061me":"b","resourceVersion":"1"}}`,
      `{"kind":"Pod","apiVersion":"v1",${METADATA},"spec":{"nodeName":"x","nodeName":"y"}}`,
      `{"kind":"Pod","apiVersion":"v1",${METADATA},"spec":{"nodeName":"x"},"spec":7}`,
      `{"kind":"Pod","apiVersion":"v1",${METADATA},"spec":{"dropped":1,"a":2,"dropped":3}}`,
      `{${METADATA},"kind":"Pod","apiVersion":"v1"}`,
      `{"metadata":[{"name":"a","resourceVersion":"1"}]}`,
    ]) {
      differential.item(Buffer.from(document));
    }
    differential.close();
  });

  it('agree on index values of all kinds', async () => {
    const differential = await Differential.open();
    for (const value of [
      '"x"',
      '1',
      '-1',
      '1.5',
      '1e3',
      '-0',
      'true',
      'null',
      '{}',
      '["a",["b",1],null,{"c":1}]',
      '"é"',
      '"\\u0041"',
    ]) {
      differential.item(pod(`{"nodeName":${value},"list":[{"name":${value}},{"name":"z"},7]}`, 'spec'));
      differential.item(pod(value, 'spec'));
    }
    differential.item(
      pod(`{"list":[${Array.from({ length: 5000 }, (_, i) => `{"name":"${i}"}`).join()}]}`, 'spec'),
    );
    differential.close();
  });

  it.each(HOSTILE_OBJECTS.map(({ name, json }) => [name, json]))(
    'agree on a hostile object: %s',
    async (_, json) => {
      const differential = await Differential.open({ kind: 'ConfigMap' }, 600);
      differential.item(Buffer.from(json));
      differential.event(Buffer.from(`{"type":"ADDED","object":${json}}`));
      differential.close();
    },
  );

  it('decode real objects of all kinds equally, with and without type, compact and indented', async () => {
    for (const { name, apiVersion, kind, json } of [...generatedDocuments(40), ...goldenDocuments()]) {
      const differential = await Differential.open({ apiVersion, kind });
      const { kind: _, apiVersion: __, ...untyped } = JSON.parse(json) as Record<string, unknown>;
      expect(differential.item(Buffer.from(json)), name).toBe('accepted');
      expect(differential.item(Buffer.from(JSON.stringify(JSON.parse(json), null, 2))), name).toBe(
        'accepted',
      );
      differential.beginList({ kind: `${kind}List`, apiVersion });
      expect(differential.item(Buffer.from(JSON.stringify(untyped))), name).toBe('accepted');
      expect(differential.event(Buffer.from(`{"type":"MODIFIED","object":${json}}`)), name).toBe('accepted');
      differential.close();
    }
  });

  it('agree on objects of any kind, if no kind is expected', async () => {
    const differential = await Differential.open({ kind: '' });
    for (const kind of ['"Pod"', '"Table"', '""', '7', '"Pöd"']) {
      differential.item(Buffer.from(`{"kind":${kind},"apiVersion":"v1",${METADATA}}`));
      differential.item(Buffer.from(`{"kind":${kind},"apiVersion":"v2",${METADATA}}`));
    }
    for (const head of [
      {},
      { kind: 'NodeList', apiVersion: 'v1' },
      { kind: 'NodeList', apiVersion: 'v2' },
      { kind: 'List', apiVersion: 'v1' },
    ]) {
      differential.beginList(head);
      differential.item(Buffer.from(`{${METADATA},"spec":1}`));
    }
    expect(differential.verdicts.accepted, 'a Pod, and an item of the NodeList').toBe(2);
    differential.close();
  });
});
