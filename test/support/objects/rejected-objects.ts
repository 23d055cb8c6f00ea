/** Objects that a broken or hostile API server could send among ConfigMaps, and that no informer can store. */
export interface RejectedObject {
  /** Describes the error; names are the last part of keys. */
  readonly name: string;
  /** A list item or the object of an event; not always valid JSON, but always with balanced brackets. */
  readonly bytes: Buffer;
  /** The key in the report; absent if the object has no readable name. */
  readonly key?: string;
}

const metadataOf = (name: string): string =>
  `"metadata":{"name":"${name}","namespace":"hostile","uid":"uid-${name}","resourceVersion":"7"}`;

function named(name: string, json: string): RejectedObject {
  return { name, bytes: Buffer.from(json), key: `hostile/${name}` };
}

function nameless(name: string, json: string): RejectedObject {
  return { name, bytes: Buffer.from(json) };
}

/** With `levels` levels of nesting. */
export function deepConfigMap(name: string, levels: number): string {
  const spec = `${'{"a":'.repeat(levels - 2)}{}${'}'.repeat(levels - 2)}`;
  return `{"apiVersion":"v1","kind":"ConfigMap",${metadataOf(name)},"spec":${spec}}`;
}

const TYPE = '"apiVersion":"v1","kind":"ConfigMap"';

/** Objects that exceed the limits, and others. */
export function rejectedObjects(caps: { readonly depth: number; readonly bytes: number }): RejectedObject[] {
  return [
    named('wrong-kind', `{"apiVersion":"v1","kind":"Secret",${metadataOf('wrong-kind')}}`),
    named('wrong-version', `{"apiVersion":"v2","kind":"ConfigMap",${metadataOf('wrong-version')}}`),
    named('kind-is-no-text', `{"apiVersion":"v1","kind":7,${metadataOf('kind-is-no-text')}}`),
    named('kind-without-version', `{"kind":"ConfigMap",${metadataOf('kind-without-version')}}`),
    named('kind-is-proto', `{"apiVersion":"v1","kind":"__proto__",${metadataOf('kind-is-proto')}}`),
    named('a-status', `{"apiVersion":"v1","kind":"Status","code":500,${metadataOf('a-status')}}`),
    named('too-deep', deepConfigMap('too-deep', caps.depth + 1)),
    named('far-too-deep', deepConfigMap('far-too-deep', caps.depth * 40)),
    named(
      'deep-arrays',
      `{${TYPE},${metadataOf('deep-arrays')},"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    ),
    named('too-large', `{${TYPE},${metadataOf('too-large')},"data":{"a":"${'x'.repeat(caps.bytes)}"}}`),
    named('no-json', `{${TYPE},${metadataOf('no-json')},"data":{"a":}}`),
    named('no-json-number', `{${TYPE},${metadataOf('no-json-number')},"data":{"a":012}}`),
    named('no-json-literal', `{${TYPE},${metadataOf('no-json-literal')},"data":{"a":undefined}}`),
    named('raw-tab-in-text', `{${TYPE},${metadataOf('raw-tab-in-text')},"data":{"a":"\t"}}`),
    named('brackets-do-not-match', `{${TYPE},${metadataOf('brackets-do-not-match')},"a":[1}}]`.slice(0, -1)),
    {
      name: 'no-utf8',
      key: 'hostile/no-utf8',
      bytes: Buffer.concat([
        Buffer.from(`{${TYPE},${metadataOf('no-utf8')},"data":{"a":"`),
        Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]),
        Buffer.from('"}}'),
      ]),
    },
    nameless('no-metadata', `{${TYPE},"data":{}}`),
    nameless('metadata-is-null', `{${TYPE},"metadata":null}`),
    nameless('metadata-is-an-array', `{${TYPE},"metadata":["name"]}`),
    nameless('metadata-is-text', `{${TYPE},"metadata":"name"}`),
    nameless('no-name', `{${TYPE},"metadata":{"namespace":"hostile","resourceVersion":"7"}}`),
    nameless('empty-name', `{${TYPE},"metadata":{"name":"","namespace":"hostile","resourceVersion":"7"}}`),
    nameless('name-is-a-number', `{${TYPE},"metadata":{"name":7,"resourceVersion":"7"}}`),
    nameless('name-by-proto', `{${TYPE},"metadata":{"__proto__":{"name":"x","resourceVersion":"7"}}}`),
    named('no-version', `{${TYPE},"metadata":{"name":"no-version","namespace":"hostile"}}`),
    named(
      'version-is-a-number',
      `{${TYPE},"metadata":{"name":"version-is-a-number","namespace":"hostile","resourceVersion":7}}`,
    ),
    nameless('null', 'null'),
    nameless('number', '7'),
    nameless('text', '"text"'),
    nameless('array', `[{${TYPE},${metadataOf('inner')}}]`),
    nameless('empty', '{}'),
  ];
}
