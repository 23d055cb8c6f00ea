import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkedBody } from '#dist/workers/connection/chunked-body.js';

/** Decodes pieces, each in memory of its own, up to the first rest. */
function decode(pieces: readonly string[]): { data: string; rest: string | undefined } {
  const body = new ChunkedBody();
  let data = '';
  for (const [i, piece] of pieces.entries()) {
    const decoded = body.decode(Buffer.from(piece, 'latin1'));
    data += Buffer.from(decoded.data).toString('latin1');
    if (decoded.rest !== undefined) {
      const rest = Buffer.from(decoded.rest).toString('latin1') + pieces.slice(i + 1).join('');
      return { data, rest };
    }
  }
  return { data, rest: undefined };
}

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Cuts a text at these places, in any order. */
function cut(text: string, places: readonly number[]): string[] {
  const ascending = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...ascending].map((start, i) => text.slice(start, ascending[i] ?? text.length));
}

describe('ChunkedBody', () => {
  it('joins what chunks contain, wherever the reads end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 300, unit: 'binary-ascii' }), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (texts, places) => {
          const body = `${texts.map(chunk).join('')}0\r\n\r\n`;
          expect(decode(cut(body, places))).toEqual({ data: texts.join(''), rest: '0\r\n\r\n' });
        },
      ),
    );
  });

  it('leaves the last chunk, with trailers and what follows, to its caller', () => {
    const end = '0\r\nExpires: never\r\n\r\nHTTP/1.1 200 OK\r\n';
    expect(decode([chunk('abc') + end])).toEqual({ data: 'abc', rest: end });
    expect(decode([`${chunk('abc')}000`, '\r\n\r\n'])).toEqual({ data: 'abc', rest: '000\r\n\r\n' });
  });

  it.each([
    ['with an extension', '3;a=b\r\nabc\r\n'],
    ['with a size that is no number', 'x\r\n'],
    ['with a size of more digits than a chunk needs', '00000003\r\nabc\r\n'],
    ['with an empty size', '\r\n'],
    ['whose size ends without a carriage return', '3\nabc\r\n'],
  ])('leaves a chunk %s to its caller', (_, bytes) => {
    expect(decode([chunk('ab') + bytes])).toEqual({ data: 'ab', rest: bytes });
    expect(decode([chunk('ab'), ...bytes]).data).toBe('ab');
    expect(decode([chunk('ab'), ...bytes]).rest).toBe(bytes);
  });

  it('leaves what follows a chunk that does not end to its caller, as an invalid size', () => {
    expect(decode(['3\r\nabcdef\r\n'])).toEqual({ data: 'abc', rest: '?def\r\n' });
    expect(decode(['3\r\nabc\r', '5\r\n'])).toEqual({ data: 'abc', rest: '?5\r\n' });
  });
});
