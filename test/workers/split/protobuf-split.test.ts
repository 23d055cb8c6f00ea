import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListHead } from '#dist/workers/split/item-splitter.js';
import { ProtobufFrameSplitter } from '#dist/workers/split/protobuf-frame-splitter.js';
import { ProtobufListSplitter } from '#dist/workers/split/protobuf-list-splitter.js';
import { envelope, integer, nested } from '../../support/objects/protobuf.js';

const MAX_BYTES = 64 * 1024;

interface Split {
  readonly items: string[];
  readonly oversized: [head: string, bytes: number][];
  readonly heads: ListHead[];
}

function pieces(body: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? body.length);
    parts.push(body.subarray(at, at + size));
    at += size;
  }
  return parts;
}

function splitList(
  body: Uint8Array,
  sizes: readonly number[],
  maxBytes = MAX_BYTES,
): Split & { end: ListHead } {
  const split: Split = { items: [], oversized: [], heads: [] };
  const splitter = new ProtobufListSplitter(maxBytes, {
    onItems: (head) => void split.heads.push(head),
    onItem: (bytes) => void split.items.push(Buffer.from(bytes).toString('latin1')),
    onOversized: (head, bytes) => void split.oversized.push([Buffer.from(head).toString('latin1'), bytes]),
  });
  for (const piece of pieces(body, sizes)) splitter.write(piece);
  return { ...split, end: splitter.end() };
}

const METADATA = nested(1, nested(2, '42'), nested(3, 'token'), integer(4, 7));
const sizesOf = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const items = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 300 }), { maxLength: 12 });

describe('ProtobufListSplitter', () => {
  it('finds the items of a list, wherever the chunks end', () => {
    fc.assert(
      fc.property(items, sizesOf, (texts, sizes) => {
        const body = envelope('v1', 'PodList', METADATA, ...texts.map((text) => nested(2, text)));
        const { items: received, heads, end } = splitList(body, sizes);
        expect(received).toEqual(texts);
        const metadata = { resourceVersion: '42', continue: 'token', remainingItemCount: 7 };
        expect(end).toEqual({ apiVersion: 'v1', kind: 'PodList', metadata });
        expect(heads).toEqual([end]);
      }),
    );
  });

  it('accepts unknown fields, and metadata after the items', () => {
    const body = envelope(
      'v1',
      'PodList',
      nested(2, 'a'),
      integer(9, 300),
      nested(10, 'x'),
      METADATA,
      nested(2, 'b'),
    );
    const { items: received, heads, end } = splitList(body, [3]);
    expect(received).toEqual(['a', 'b']);
    expect(heads).toEqual([{ apiVersion: 'v1', kind: 'PodList' }]);
    expect(end).toHaveProperty('metadata.resourceVersion', '42');
  });

  it('reports a list that is cut at any byte as truncated', () => {
    const body = envelope('v1', 'PodList', METADATA, nested(2, 'a'), nested(2, 'b'));
    // Behind the list itself come two empty fields, whose absence nobody notices.
    const ends = new Set([body.length, body.length - 2, body.length - 4]);
    for (let length = 0; length < body.length; length++) {
      if (ends.has(length)) continue;
      expect(() => splitList(body.subarray(0, length), [5]), `${length}`).toThrow(
        expect.objectContaining({ name: 'SplitError', isTruncated: true }),
      );
    }
  });

  it('passes on the beginning of an object over the size limit', () => {
    const body = envelope(
      'v1',
      'PodList',
      nested(2, 'a'),
      nested(2, 'x'.repeat(MAX_BYTES + 1)),
      nested(2, 'b'),
    );
    for (const size of [body.length, 1000]) {
      const { items: received, oversized } = splitList(body, [size]);
      expect(received).toEqual(['a', 'b']);
      expect(oversized).toEqual([['x'.repeat(MAX_BYTES + 1), MAX_BYTES + 1]]);
    }
  });

  it.each([
    ['JSON', Buffer.from('{"kind":"PodList"}')],
    ['an item beyond the list', Buffer.from('k8s\0\x12\x03\x12\x05ab', 'latin1')],
    ['eight bytes that go beyond the list', Buffer.from('k8s\0\x12\x03\x31ab123456\x1a\x00', 'latin1')],
    ['four bytes that go beyond the list', Buffer.from('k8s\0\x12\x03\x35ab12\x1a\x00', 'latin1')],
    ['a number where the list has to be', Buffer.from('k8s\0\x10\x03', 'latin1')],
    ['two lists', Buffer.concat([Buffer.from('k8s\0'), nested(2, ''), nested(2, '')])],
    ['a field without a number', Buffer.from('k8s\0\x02\x00', 'latin1')],
    [
      'a length of more than ten bytes',
      Buffer.concat([Buffer.from('k8s\0\x12', 'latin1'), Buffer.alloc(12, 0xff)]),
    ],
    [
      'an encoding that is not known',
      Buffer.concat([Buffer.from('k8s\0'), nested(2, ''), nested(3, 'gzip')]),
    ],
    ['too much metadata', envelope('v1', 'PodList', nested(1, nested(3, 'x'.repeat(1024 * 1024))))],
  ])('rejects %s', (_, body) => {
    expect(() => splitList(body, [7])).toThrow(
      expect.objectContaining({ name: 'SplitError', isTruncated: false }),
    );
  });

  it('never hangs on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), sizesOf, (bytes, sizes) => {
        const body = Buffer.concat([Buffer.from('k8s\0'), bytes]);
        try {
          splitList(body, sizes);
        } catch (error) {
          expect(error).toHaveProperty('name', 'SplitError');
        }
      }),
    );
  });
});

function frame(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'latin1')]);
}

function splitFrames(
  body: Uint8Array,
  sizes: readonly number[],
  maxBytes = MAX_BYTES,
): Split & { end: string } {
  const split: Split = { items: [], oversized: [], heads: [] };
  const splitter = new ProtobufFrameSplitter(maxBytes, {
    onDocument: (bytes) => void split.items.push(Buffer.from(bytes).toString('latin1')),
    onOversized: (head, bytes) => void split.oversized.push([Buffer.from(head).toString('latin1'), bytes]),
  });
  for (const piece of pieces(body, sizes)) splitter.write(piece);
  return { ...split, end: splitter.end() };
}

describe('ProtobufFrameSplitter', () => {
  it('finds the frames of a watch, wherever the chunks end', () => {
    fc.assert(
      fc.property(items, sizesOf, (texts, sizes) => {
        const body = Buffer.concat(texts.map(frame));
        expect(splitFrames(body, sizes)).toMatchObject({ items: texts, oversized: [], end: 'complete' });
      }),
    );
  });

  it('reports whether the body ended in the middle of a frame', () => {
    const body = frame('abc');
    for (let length = 1; length < body.length; length++) {
      expect(splitFrames(body.subarray(0, length), [2]).end).toBe('truncated');
    }
  });

  it('passes on the beginning of a frame over the size limit, and fails at an impossible length', () => {
    const body = Buffer.concat([frame('x'.repeat(100)), frame('a')]);
    expect(splitFrames(body, [9], 50)).toMatchObject({ items: ['a'], oversized: [['x'.repeat(100), 100]] });
    expect(() => splitFrames(Buffer.from('HTTP/1.1 502 Bad Gateway'), [9])).toThrow(
      expect.objectContaining({ name: 'SplitError', isTruncated: false }),
    );
  });
});
