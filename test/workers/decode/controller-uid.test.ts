import { describe, expect, it } from 'vitest';
import { CONTROLLER_UID_PATH } from '#dist/src/kube/owner-reference.js';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import { integer, nested } from '../../support/objects/protobuf.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { DecoderFixture } from '../../support/workers/decoder-fixture.js';

interface Reference {
  readonly uid?: unknown;
  readonly controller?: unknown;
  readonly kind?: unknown;
}

const OPTIONS = { apiVersion: 'v1', kind: 'Pod', indexPaths: ['spec.nodeName', CONTROLLER_UID_PATH] };

const METADATA = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' };

const json = (ownerReferences: unknown): unknown => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { ...METADATA, ownerReferences },
  spec: { nodeName: 'n', containers: [] },
});

/** As Go encodes it: every string of a reference, and `controller` if it is set. */
function protobuf(references: readonly Reference[]): Buffer {
  const encoded = references.map(({ uid = '', kind = '', controller }) =>
    nested(
      13,
      nested(1, `${kind}`),
      nested(3, 'name'),
      nested(4, `${uid}`),
      nested(5, 'v1'),
      ...(controller === undefined ? [] : [integer(6, controller === true ? 1 : 0)]),
    ),
  );
  const { name, namespace, uid, resourceVersion } = METADATA;
  const strings = [nested(1, name), nested(3, namespace), nested(5, uid), nested(6, resourceVersion)];
  return Buffer.concat([nested(1, ...strings, ...encoded), nested(2, nested(10, 'n'))]);
}

function indexValues(row: unknown): unknown {
  return (row as { readonly header?: { readonly indexValues?: unknown } }).header?.indexValues;
}

async function open(
  decoder: 'json' | 'simd',
  encoding: 'json' | 'protobuf' = 'json',
  options: Partial<DecodingOptions> = {},
): Promise<DecoderFixture> {
  const fixture = await DecoderFixture.open(decoder, { ...OPTIONS, ...options }, 100, encoding);
  fixture.beginList({ kind: 'PodList', apiVersion: 'v1' });
  return fixture;
}

const CASES: readonly (readonly [string, readonly Reference[], readonly string[]])[] = [
  ['none', [], []],
  ['an owner that is not the controller', [{ uid: 'x' }, { controller: false, uid: 'y' }], []],
  ['the controller', [{ kind: 'Job', uid: 'x', controller: true }], ['x']],
  ['the controller, whose flag comes first', [{ controller: true, uid: 'x' }], ['x']],
  ['the controller after another owner', [{ uid: 'x' }, { controller: true, uid: 'y' }], ['y']],
  ['the controller before another owner', [{ uid: 'x', controller: true }, { uid: 'y' }], ['x']],
  [
    'two controllers, which no API server accepts',
    [
      { uid: 'x', controller: true },
      { uid: 'y', controller: true },
    ],
    ['x', 'y'],
  ],
];

describe.each(['json', 'simd'] as const)('the %s decoder finds the uid of', (decoder) => {
  it.each(CASES)('%s', async (_, references, uids) => {
    const fixture = await open(decoder);
    expect(indexValues(fixture.decodeItem(json(references)))).toEqual([['n'], uids]);
    expect(indexValues(fixture.event('MODIFIED', json(references)))).toEqual([['n'], uids]);
    expect(decoder === 'simd' ? fixture.delegated : 0).toBe(0);
    fixture.close();
  });

  it.each(CASES)('%s, in protobuf', async (_, references, uids) => {
    const fixture = await open(decoder, 'protobuf');
    // More than once, as the walk learns.
    for (let i = 0; i < 4; i++) {
      expect(indexValues(fixture.decodeItem(protobuf(references)))).toEqual([['n'], uids]);
    }
    expect(decoder === 'simd' ? fixture.delegated : 0).toBe(0);
    fixture.close();
  });

  it('the controller in what no API server sends, as paths read it', async () => {
    const fixture = await open(decoder);
    const odd: readonly (readonly [unknown, readonly string[]])[] = [
      [{ uid: 'x', controller: true }, ['x']],
      [[[{ uid: 'x', controller: true }], { uid: 'y' }], ['x']],
      [[{ uid: 'x', controller: 'true' }], []],
      [[{ uid: 'x', controller: [true] }], []],
      [[{ uid: ['x', 7], controller: true }], ['x', '7']],
      [[{ uid: { controller: true }, controller: false }], []],
      [[{ uid: 'ü', controller: true }], ['ü']],
      ['true', []],
      [null, []],
    ];
    for (const [references, uids] of odd) {
      expect(indexValues(fixture.decodeItem(json(references))), JSON.stringify(references)).toEqual([
        ['n'],
        uids,
      ]);
    }
    fixture.close();
  });

  it('no controller where owner references are dropped', async () => {
    const fixture = await open(decoder, 'json', { drop: ['metadata.ownerReferences'] });
    expect(indexValues(fixture.decodeItem(json([{ uid: 'x', controller: true }])))).toEqual([['n'], []]);
    fixture.close();
  });

  it('the controller next to an index of all owners, in any number', async () => {
    const fixture = await open(decoder, 'json', {
      indexPaths: ['metadata.ownerReferences.uid', CONTROLLER_UID_PATH],
    });
    const references = Array.from({ length: 100 }, (_, i) => ({ uid: `u-${i}`, controller: i % 4 === 3 }));
    const uids = references.map(({ uid }) => uid);
    expect(indexValues(fixture.decodeItem(json(references)))).toEqual([
      uids,
      uids.filter((_, i) => i % 4 === 3),
    ]);
    fixture.close();
  });
});

it('the decoders agree on any owners, in JSON and in protobuf', async () => {
  const random = new SeededRandom(21);
  const fixtures = [await open('json'), await open('simd')];
  const others = [await open('json', 'protobuf'), await open('simd', 'protobuf')];
  for (let i = 0; i < 500; i++) {
    const references = Array.from({ length: random.between(0, 5) }, () => {
      const fields = { uid: `u-${random.between(0, 9)}`, kind: 'Shop', controller: random.chance(0.4) };
      const order = random.chance(0.5) ? Object.entries(fields) : Object.entries(fields).reverse();
      return Object.fromEntries(order.filter(([name]) => name !== 'controller' || random.chance(0.8)));
    });
    const uids = references.flatMap(({ uid, controller }) => (controller === true ? [uid] : []));
    for (const fixture of fixtures) {
      expect(indexValues(fixture.decodeItem(json(references)))).toEqual([['n'], uids]);
    }
    for (const fixture of others) {
      expect(indexValues(fixture.decodeItem(protobuf(references)))).toEqual([['n'], uids]);
    }
  }
  for (const fixture of [...fixtures, ...others]) fixture.close();
});
