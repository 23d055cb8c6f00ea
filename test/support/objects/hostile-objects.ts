/**
 * Objects that a user of a namespace could create, or a custom API server could send: valid JSON that is hard to decode. Each
 * is a ConfigMap in the namespace `hostile`, whose name describes the difficulty.
 */
export interface HostileObject {
  readonly name: string;
  readonly json: string;
}

/** Nesting that stays below the usual cap of StreamLimits.depth. */
const DEEP = 500;
const MANY = 70_000;

function configMap(name: string, fields: string): HostileObject {
  const metadata = `{"name":${JSON.stringify(name)},"namespace":"hostile","uid":"uid-${name}","resourceVersion":"7"}`;
  return { name, json: `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata},${fields}}` };
}

function data(name: string, entries: string): HostileObject {
  return configMap(name, `"data":{${entries}}`);
}

function numbers(count: number, item: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => item(i)).join();
}

const TEXT = JSON.stringify('text');

export const HOSTILE_OBJECTS: readonly HostileObject[] = [
  data('proto-key', `"__proto__":${TEXT}`),
  data('proto-key-with-object', '"__proto__":{"polluted":true}'),
  data('proto-key-null', '"__proto__":null'),
  data('proto-like-key', '"__proto_":"one underscore less"'),
  data('proto-and-proto-like', '"__proto_":"a","__proto__":"b"'),
  data('constructor-key', `"constructor":${TEXT}`),
  data('constructor-and-to-json', '"constructor":"a","toJSON":"b"'),
  data('constructor-object', '"constructor":{"prototype":{"polluted":true}}'),
  data('to-json-key', `"toJSON":${TEXT}`),
  data('has-own-property-key', `"hasOwnProperty":${TEXT}`),
  data('value-of-and-to-string', '"valueOf":"a","toString":"b"'),
  data('getter-like-keys', '"__defineGetter__":"a","__lookupSetter__":"b"'),
  data('empty-key', `"":${TEXT}`),
  data('length-key', '"length":"3"'),
  data('numeric-keys', '"10":"a","9":"b","0":"c","-1":"d","1e3":"e","4294967295":"f"'),
  data('then-key', `"then":${TEXT}`),
  data('control-characters-in-key', '"\\u0000\\u0001\\n\\u007f":"a"'),
  data('quotes-in-key', '"\\"\\\\\'`$ {}":"a"'),
  data('unicode-keys', '"ключ":"a","🔑":"b","é":"c","e\\u0301":"d"'),
  data('long-key', `"${'k'.repeat(100_000)}":"a"`),
  data('lone-high-surrogate', '"a":"x\\ud800y"'),
  data('lone-low-surrogate', '"a":"\\udfff"'),
  data('swapped-surrogates', '"a":"\\udc00\\ud800"'),
  data('lone-surrogate-in-key', '"\\ud83d":"half of an emoji"'),
  data('lone-surrogate-in-long-text', `"a":"${'x'.repeat(100_000)}\\ud800"`),
  data('byte-order-mark', '"a":"\\ufeffbom\\ufffe\\uffff"'),
  data('nul-bytes', '"a":"\\u0000\\u0000"'),
  data('one-mib-ascii', `"a":"${'0123456789abcdef'.repeat(65_536)}"`),
  data('one-mib-emoji', `"a":"${'😀'.repeat(262_144)}"`),
  data('latin1-text', `"a":"${'ÿ'.repeat(300)}"`),
  data('looks-like-base64', `"a":"${'A'.repeat(255)}=="`),
  data(
    'strings-at-the-length-borders',
    numbers(
      20,
      (i) =>
        `"k${i}":"${'s'.repeat([0, 1, 31, 32, 63, 64, 65, 127, 128, 255, 256, 257, 4095, 4096, 8191, 8192, 65_534, 65_535, 65_536, 65_537][i] as number)}"`,
    ),
  ),
  data(
    'wide-strings-at-the-length-borders',
    numbers(8, (i) => `"k${i}":"${'é'.repeat([1, 15, 16, 31, 32, 127, 128, 32_768][i] as number)}"`),
  ),
  data(
    'seventy-thousand-keys',
    numbers(MANY, (i) => `"key-${i}":"v"`),
  ),
  data(
    'sixty-five-thousand-keys',
    numbers(65_535, (i) => `"k${i}":"v"`),
  ),
  configMap('seventy-thousand-field-names', `"spec":{${numbers(MANY, (i) => `"field${i}":${i}`)}}`),
  configMap('seventy-thousand-elements', `"items":[${numbers(MANY, String)}]`),
  configMap('seventy-thousand-shapes', `"items":[${numbers(MANY, (i) => `{"a${i}":1}`)}]`),
  configMap('empties', '"a":{},"b":[],"c":"","d":null,"e":[{}],"f":{"g":{}},"h":[[]],"i":[null]'),
  configMap(
    'beyond-two-to-the-53',
    '"spec":{"a":9007199254740993,"b":-9007199254740993,"c":18446744073709551615}',
  ),
  configMap('minus-zero', '"spec":{"a":-0,"b":0,"c":-0.0,"d":[-0]}'),
  configMap('largest-and-smallest', '"spec":{"a":1e308,"b":5e-324,"c":-1e308,"d":1e-7,"e":0.1,"f":1e400}'),
  configMap(
    'integers-at-the-borders',
    `"spec":[${[0, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53].flatMap((n) => [n, -n, -n - 1]).join()}]`,
  ),
  configMap('deep-objects', `"spec":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  configMap('deep-arrays', `"spec":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
  configMap('deep-maps', `"data":${'{"a-b":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  configMap('proto-key-at-the-top', '"__proto__":{"a":1},"constructor":1,"toJSON":2,"hasOwnProperty":3'),
  configMap('proto-key-among-fields', '"spec":{"a":1,"__proto__":2,"b":{"__proto__":[]}}'),
  configMap('mixed-array', '"spec":[1,"a",null,true,{"b":[]},[{}],-1,1.5,"\\ud800"]'),
  configMap('sixty-five-fields', `"spec":{${numbers(65, (i) => `"f${i}":${i}`)}}`),
  configMap('scalar-where-objects-are-usual', '"data":"text","spec":7,"labels":[1],"annotations":null'),
  configMap('same-keys-in-other-orders', '"items":[{"a":1,"b":2},{"b":2,"a":1},{"a":1},{"b":2}]'),
];
