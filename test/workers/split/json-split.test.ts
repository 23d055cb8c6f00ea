import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonIdentity } from '#dist/workers/decode/document-identity.js';
import { type ListHead, SplitError } from '#dist/workers/split/item-splitter.js';
import { LineSplitter } from '#dist/workers/split/line-splitter.js';
import { ListSplitter } from '#dist/workers/split/list-splitter.js';

const MAX_BYTES = 1 << 20;

interface SplitList {
  readonly early: ListHead;
  readonly head: ListHead;
  readonly items: readonly string[];
  readonly depths: readonly number[];
  readonly oversized: readonly { readonly head: string; readonly totalBytes: number }[];
}

/** Cuts into pieces of the given sizes, in turn. Each piece lies at another offset of its own buffer, as those of a socket do. */
function* pieces(body: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let turn = 0;
  for (let start = 0; start < body.length; turn++) {
    const end = Math.min(body.length, start + (sizes[turn % sizes.length] ?? 1));
    const room = new Uint8Array(end - start + 8);
    const piece = room.subarray(turn % 5, (turn % 5) + end - start);
    piece.set(body.subarray(start, end));
    yield piece;
    start = end;
  }
}

function splitList(
  body: string | Uint8Array,
  sizes: readonly number[] = [4096],
  maxBytes: number = MAX_BYTES,
): SplitList {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const items: string[] = [];
  const depths: number[] = [];
  const oversized: { head: string; totalBytes: number }[] = [];
  let early: ListHead = {};
  const splitter = new ListSplitter(maxBytes, {
    onItems: (head) => {
      early = head;
    },
    onItem: (item, depth) => {
      items.push(Buffer.from(item).toString());
      depths.push(depth);
    },
    onOversized: (head, totalBytes) => {
      oversized.push({ head: Buffer.from(head).toString(), totalBytes });
    },
  });
  for (const piece of pieces(bytes, sizes)) splitter.write(piece);
  return { head: splitter.end(), early, items, depths, oversized };
}

function splitLines(body: string, sizes: readonly number[] = [4096], maxBytes: number = MAX_BYTES) {
  const lines: string[] = [];
  const oversized: number[] = [];
  const splitter = new LineSplitter(maxBytes, {
    onDocument: (bytes) => void lines.push(Buffer.from(bytes).toString()),
    onOversized: (_, totalBytes) => void oversized.push(totalBytes),
  });
  for (const piece of pieces(Buffer.from(body), sizes)) splitter.write(piece);
  return { lines, oversized, ending: splitter.end() };
}

const SIZES = [[1], [2], [3], [7], [4096], [1, 2, 3, 5, 64, 1000]];

const HARD_ITEMS: readonly unknown[] = [
  { metadata: { name: 'a' } },
  { text: 'a "quoted" brace } and ] and \\ and \\" end\\\\' },
  { text: '{"items":[1,2' },
  { unicode: 'Größe ≤ 98 – 🧭 \u2028', escaped: '\u0000\u001f\n\t' },
  { nested: [[], [[]], [{ a: [{}] }], {}] },
  { 'key with ] and } and "': 1, '': '' },
  [],
  {},
  'a string, with a comma',
  '',
  12.5e-3,
  true,
  false,
  null,
];

describe('ListSplitter', () => {
  const typed = JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '10', continue: 'to{ken]' },
    items: HARD_ITEMS,
  });
  const custom = JSON.stringify({
    apiVersion: 'example.com/v1',
    items: HARD_ITEMS,
    kind: 'WidgetList',
    metadata: { continue: '', resourceVersion: '11' },
  });

  it.each(SIZES.map((sizes) => [sizes]))('finds the same items in chunks of %j', (sizes) => {
    for (const body of [
      typed,
      custom,
      `${typed}\n`,
      JSON.stringify(JSON.parse(typed), undefined, 2),
      `\r\n\t ${custom} \n\n`,
    ]) {
      const { items } = splitList(body, sizes);
      expect(items.map((item) => JSON.parse(item))).toEqual(HARD_ITEMS);
    }
  });

  it('passes on the bytes of an item unchanged', () => {
    expect(splitList('{"items":[ {"a" : [1 ,2]} , 17 ,"x"]}').items).toEqual(['{"a" : [1 ,2]}', '17', '"x"']);
  });

  it('reads the head of a typed list before its items, and of a custom one after them', () => {
    const head = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '10', continue: 'to{ken]' },
    };
    expect(splitList(typed, [7])).toMatchObject({ early: head, head });
    const late = splitList(custom, [7]);
    expect(late.early).toEqual({ apiVersion: 'example.com/v1' });
    expect(late.head).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'WidgetList',
      metadata: { continue: '', resourceVersion: '11' },
    });
  });

  it('accepts an empty list', () => {
    for (const items of ['[]', 'null', '[ ]', ' null ']) {
      for (const sizes of SIZES) {
        const body = `{"kind":"PodList","items":${items},"metadata":{"resourceVersion":"1"}}`;
        expect(splitList(body, sizes)).toMatchObject({
          items: [],
          head: { kind: 'PodList', metadata: { resourceVersion: '1' } },
        });
      }
    }
  });

  it('skips other fields, whatever they contain', () => {
    const body =
      '{"a":{"items":[{"not":"ours"}]},"b":[1,{"metadata":{}}],"c":"\\"}","d":-1.5e7,"items":[{"x":1}],"e":null}';
    for (const sizes of SIZES) expect(splitList(body, sizes).items).toEqual(['{"x":1}']);
  });

  it('reads escaped field names', () => {
    expect(splitList('{"\\u0069tems":[{}]}', [1]).items).toEqual(['{}']);
  });

  it('reports a body cut at any byte as truncated', () => {
    const body =
      '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"a":"\\"}"},{"b":[1,2]}, 3 ],"x":null}';
    expect(splitList(body).items).toHaveLength(3);
    for (let end = 0; end < body.length; end++) {
      for (const sizes of [[1], [4096]]) {
        expect(() => splitList(body.slice(0, end), sizes), String(end)).toThrow(
          expect.objectContaining({ name: 'SplitError', isTruncated: true }),
        );
      }
    }
  });

  it.each([
    ['no object', '[{"a":1}]', 'the response is not a JSON object'],
    ['text', 'service unavailable', 'the response is not a JSON object'],
    ['no items', '{"kind":"Status"}', 'no array of items'],
    ['an empty object', '{}', 'no array of items'],
    ['a Table', '{"kind":"Table","rows":[]}', 'is a Table'],
    ['items of another type', '{"items":{}}', 'byte 9'],
    ['items that are text', '{"items":"[]"}', 'byte 9'],
    ['items twice', '{"items":[],"items":[]}', 'byte 20'],
    ['a brace too many', '{"items":[{}}]}', 'byte 12'],
    ['an item that begins with a closing brace', '{"items":[}"a":1}]}', 'byte 10'],
    ['a comma too many', '{"items":[{},]}', 'byte 13'],
    ['a comma too few', '{"items":[{}{}]}', 'byte 12'],
    ['a colon too few', '{"items"[]}', 'byte 8'],
    ['a field without quotes', '{items:[]}', 'byte 1'],
    ['something behind it', '{"items":[]}{}', 'byte 12'],
    ['metadata that is no JSON', '{"metadata":{a},"items":[]}', 'byte 12'],
  ])('rejects %s', (_, body, message) => {
    for (const sizes of [[1], [4096]]) {
      const refused = (): unknown => splitList(body, sizes);
      expect(refused).toThrow(SplitError);
      expect(refused).toThrow(expect.objectContaining({ isTruncated: false }));
      if (sizes[0] !== 1) expect(refused).toThrow(message);
    }
  });

  it('skips an item over the size limit, passes on its beginning, and continues', () => {
    const large = `{"metadata":{"name":"large"},"data":"${'x'.repeat(5000)}"}`;
    const body = `{"items":[{"a":1},${large},{"b":2}],"metadata":{"resourceVersion":"7"}}`;
    for (const sizes of SIZES) {
      const { items, oversized, head } = splitList(body, sizes, 1000);
      expect(items).toEqual(['{"a":1}', '{"b":2}']);
      expect(oversized).toHaveLength(1);
      expect(oversized[0]?.totalBytes).toBe(large.length);
      expect(readJsonIdentity(Buffer.from(oversized[0]?.head ?? ''), 'item')).toEqual({ name: 'large' });
      expect(head.metadata).toEqual({ resourceVersion: '7' });
    }
  });

  it('holds only the beginning of an item that never ends', () => {
    const splitter = new ListSplitter(1 << 20, { onItems() {}, onItem() {}, onOversized() {} });
    splitter.write(Buffer.from('{"items":[{"a":"'));
    const chunk = Buffer.alloc(1 << 20, 0x61);
    for (let i = 0; i < 64; i++) splitter.write(chunk);
    expect(splitter.heldBytes).toBeLessThanOrEqual(4 << 20);
  });

  it('reports the nesting depth of each item', () => {
    expect(splitList('{"items":[{},{"a":[]},"[[[",{"a":{"b":[{}]}},1]}', [3]).depths).toEqual([
      1, 2, 0, 4, 0,
    ]);
  });

  it('splits any list in any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 }),
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (items, sizes, space, isTyped) => {
          const metadata = { resourceVersion: '1' };
          const list = isTyped
            ? { kind: 'PodList', metadata, items }
            : { items, kind: 'PodList', metadata, other: items };
          const split = splitList(JSON.stringify(list, undefined, space), sizes);
          expect(split.items.map((item) => JSON.parse(item))).toEqual(
            items.map((item) => JSON.parse(JSON.stringify(item))),
          );
          expect(split.head).toEqual({ kind: 'PodList', metadata });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('LineSplitter', () => {
  const documents = HARD_ITEMS.map((item) => JSON.stringify({ type: 'ADDED', object: item }));

  it.each(SIZES.map((sizes) => [sizes]))('finds the same documents in chunks of %j', (sizes) => {
    expect(splitLines(`${documents.join('\n')}\n`, sizes)).toEqual({
      lines: documents,
      oversized: [],
      ending: 'complete',
    });
  });

  it('splits any documents in any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.json({ maxDepth: 4 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 }),
        (lines, sizes) => {
          expect(splitLines(lines.map((line) => `${line}\n`).join(''), sizes).lines).toEqual(lines);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never passes on a line without a newline', () => {
    const body = '{"a":1}\n{"b":2}\n';
    for (let end = 0; end <= body.length; end++) {
      const { lines, ending } = splitLines(body.slice(0, end), [3]);
      expect(lines).toEqual(body.slice(0, end).split('\n').slice(0, -1));
      expect(ending).toBe(end === 0 || end === 8 || end === 16 ? 'complete' : 'truncated');
    }
  });

  it('skips empty lines and carriage returns', () => {
    for (const sizes of SIZES) {
      expect(splitLines('\n\n{"a":1}\r\n\r\n{"b":2}\n\r\n', sizes)).toMatchObject({
        lines: ['{"a":1}\r', '{"b":2}'],
        ending: 'complete',
      });
    }
  });

  it('skips a document over the size limit and continues', () => {
    for (const sizes of SIZES) {
      const body = `{"a":1}\n${'x'.repeat(3000)}\n{"b":2}\n`;
      expect(splitLines(body, sizes, 1000)).toEqual({
        lines: ['{"a":1}', '{"b":2}'],
        oversized: [3000],
        ending: 'complete',
      });
    }
  });
});

describe('readJsonIdentity', () => {
  const event = {
    type: 'MODIFIED',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { metadata: { name: 'not this' }, x: [1, '}', null] },
      metadata: { labels: { name: 'nor this' }, name: 'sett"ings', namespace: 'shop', resourceVersion: '5' },
    },
  };

  it('reads key and version from a complete document', () => {
    const expected = { name: 'sett"ings', namespace: 'shop', resourceVersion: '5' };
    for (const space of [undefined, 2]) {
      expect(readJsonIdentity(Buffer.from(JSON.stringify(event.object, undefined, space)), 'item')).toEqual(
        expected,
      );
      expect(readJsonIdentity(Buffer.from(JSON.stringify(event, undefined, space)), 'event')).toEqual({
        ...expected,
        eventType: 'MODIFIED',
      });
    }
  });

  it('reads what is available of a document that is cut at any byte', () => {
    const bytes = Buffer.from(JSON.stringify(event));
    for (let end = 0; end < bytes.length; end++) {
      const head = readJsonIdentity(bytes.subarray(0, end), 'event');
      expect([undefined, 'sett"ings']).toContain(head.name);
      expect([undefined, 'shop']).toContain(head.namespace);
    }
    expect(readJsonIdentity(bytes.subarray(0, -2), 'event')).toMatchObject({
      name: 'sett"ings',
      resourceVersion: '5',
    });
  });

  it.each([
    '',
    '}',
    '[]',
    'null',
    '{"metadata":[]}',
    '{"metadata":{"name":{"a":1}}}',
    '{"metadata":',
    '{,}',
    '{]',
    '{"a":1]',
  ])('finds nothing in %s', (text) => {
    expect(readJsonIdentity(Buffer.from(text), 'item')).toEqual({});
    expect(readJsonIdentity(Buffer.from(text), 'event')).toEqual({});
  });
});
