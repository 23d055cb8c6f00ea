import { afterAll, describe, expect, it } from 'vitest';
import { envelope, nested } from '../../support/objects/protobuf.js';
import { type Content, DecoderFixture } from '../../support/workers/decoder-fixture.js';

type Encoding = 'json' | 'protobuf';

const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

const fixtures: DecoderFixture[] = [];

afterAll(() => {
  for (const fixture of fixtures) fixture.close();
});

async function open(encoding: Encoding): Promise<DecoderFixture> {
  const fixture = await DecoderFixture.open('simd', { indexPaths: ['spec.nodeName'] }, 50, encoding);
  fixtures.push(fixture);
  return fixture;
}

interface Pod {
  readonly name: string;
  readonly version: string;
  readonly node?: string;
}

/** One event as it is sent, with its newline or its length. */
function event(encoding: Encoding, type: string, { name, version, node = '' }: Pod): Buffer {
  if (encoding === 'json') {
    const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: version };
    const object = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      ...(node !== '' && { spec: { nodeName: node } }),
    };
    return Buffer.from(`${JSON.stringify({ type, object })}\n`);
  }
  const metadata = nested(
    1,
    nested(1, name),
    nested(3, 'default'),
    nested(5, `uid-${name}`),
    nested(6, version),
  );
  const spec = node === '' ? [] : [nested(2, nested(10, node))];
  return frame(nested(1, type), nested(2, nested(1, envelope('v1', 'Pod', metadata, ...spec))));
}

function frame(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

const INVALID: Readonly<Record<Encoding, readonly Buffer[]>> = {
  json: [
    Buffer.from('\n'),
    Buffer.from(' \r\n'),
    Buffer.from('{"type":"ADDED","object":{"kind":"Pod"\n'),
    Buffer.from('"metadata":{}}}\n'),
    Buffer.from('{"type":"MODIFIED","object":\n{"kind":"Pod"}}\n'),
    Buffer.from('{"type":"ERROR","object":{"kind":"Status","code":410}}\n'),
  ],
  protobuf: [
    frame(),
    frame(Buffer.from([0xff, 0xff])),
    frame(nested(1, 'ADDED')),
    frame(nested(1, 'ADDED'), nested(2, nested(1, envelope('v1', 'Node', nested(1, nested(1, 'n')))))),
  ],
};

/** Every kind of event: those that are decoded in runs, and those that are not. */
function bodyOf(encoding: Encoding): Buffer {
  const pod = (type: string, name: string, version: string, node?: string): Buffer =>
    event(encoding, type, { name, version, ...(node !== undefined && { node }) });
  return Buffer.concat([
    pod('ADDED', 'a', '7', 'node-1'),
    pod('MODIFIED', 'b', '8'),
    pod('DELETED', 'c', '10'),
    pod('BOOKMARK', '', '11'),
    pod('ADDED', 'ü', '12', 'knötchen'),
    ...INVALID[encoding],
    pod('ADDED', 'd', '12', 'x'.repeat(300)),
    pod('OTHER', 'e', '13'),
    pod('MODIFIED', 'f', 'v14'),
    pod('MODIFIED', 'a', '15', 'node-2'),
  ]);
}

function comparable(fixture: DecoderFixture, rows: readonly Content[]): unknown[] {
  return rows.map((row) => ('payload' in row ? { ...row, payload: fixture.objectOf(row) } : row));
}

describe.each(ENCODINGS)('EventSplitter with runs, %s', (encoding) => {
  it('gives the rows that events decoded alone give, wherever a chunk ends', async () => {
    const fixture = await open(encoding);
    const body = bodyOf(encoding);
    const alone = fixture.decodeWatch([body], { isAlone: true, maxBytes: 450 });
    const expected = comparable(fixture, alone.rows);
    expect(alone.end).toBe('complete');
    expect(alone.runs).toHaveLength(0);
    for (let cut = 0; cut <= body.length; cut++) {
      const chunks = [body.subarray(0, cut), body.subarray(cut)];
      for (const isTogether of [false, true]) {
        const watch = fixture.decodeWatch(chunks, { maxBytes: 450, isTogether });
        expect(comparable(fixture, watch.rows)).toEqual(expected);
        expect(watch.end).toBe('complete');
      }
    }
  });

  it('gives the same rows from chunks of one byte, and from chunks of any size', async () => {
    const fixture = await open(encoding);
    const body = bodyOf(encoding);
    const expected = comparable(fixture, fixture.decodeWatch([body], { isAlone: true }).rows);
    for (const size of [1, 2, 3, 5, 17, 64, 200, 1000]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
        body.subarray(i * size, (i + 1) * size),
      );
      expect(comparable(fixture, fixture.decodeWatch(chunks).rows)).toEqual(expected);
      expect(comparable(fixture, fixture.decodeWatch(chunks, { isTogether: true }).rows)).toEqual(expected);
    }
  });

  it('decodes the events of all chunks that have arrived together in one run', async () => {
    const fixture = await open(encoding);
    const events = Array.from({ length: 100 }, (_, i) =>
      event(encoding, 'MODIFIED', { name: `pod-${i}`, version: String(i + 1) }),
    );
    const before = fixture.delegated;
    const { rows, runs } = fixture.decodeWatch(events, { isTogether: true });
    expect(rows).toHaveLength(100);
    expect(runs).toMatchObject([{ count: 100, isOrdered: true }]);
    expect(fixture.delegated).toBe(before);
  });

  it('ends a run when its cells fill 128 KiB, and begins the next', async () => {
    const fixture = await open(encoding);
    const node = 'n'.repeat(10_000);
    const events = Array.from({ length: 20 }, (_, i) =>
      event(encoding, 'ADDED', { name: `pod-${i}`, version: String(i + 1), node: node + i }),
    );
    const { rows, runs } = fixture.decodeWatch([Buffer.concat(events)], { isTogether: true });
    expect(rows).toHaveLength(20);
    expect(runs.length).toBeGreaterThan(1);
    expect(Math.max(...runs.map(({ byteLength }) => byteLength))).toBeLessThan(150_000);
  });

  it('knows whether the versions of a run increase', async () => {
    const fixture = await open(encoding);
    const isOrdered = (...versions: readonly string[]): boolean | undefined => {
      const events = versions.map((version, i) => event(encoding, 'ADDED', { name: `${i}`, version }));
      const { runs } = fixture.decodeWatch([Buffer.concat(events)]);
      expect(runs).toHaveLength(1);
      return runs[0]?.isOrdered;
    };
    expect(isOrdered('1')).toBe(true);
    expect(isOrdered('9', '10', '11', '100', '18446744073709551616')).toBe(true);
    expect(isOrdered('9', '10', '10')).toBe(false);
    expect(isOrdered('9', '10', '9')).toBe(false);
    expect(isOrdered('10', '9', '11')).toBe(false);
    expect(isOrdered('0')).toBe(false);
    expect(isOrdered('01', '2')).toBe(false);
    expect(isOrdered('1', 'v2', '3')).toBe(false);
  });

  it('decodes an event that is larger than a piece, and those around it', async () => {
    const fixture = await open(encoding);
    const small = (version: string): Buffer => event(encoding, 'ADDED', { name: 'small', version });
    const large = event(encoding, 'ADDED', { name: 'large', version: '2', node: 'x'.repeat(600_000) });
    const body = Buffer.concat([small('1'), large, small('3'), small('4')]);
    for (const size of [10_000, 65_536, 256 * 1024]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
        body.subarray(i * size, (i + 1) * size),
      );
      for (const isTogether of [false, true]) {
        const { rows } = fixture.decodeWatch(chunks, { isTogether });
        const versions = rows.map((row) => 'header' in row && row.header.resourceVersion);
        expect(versions).toEqual(['1', '2', '3', '4']);
      }
    }
  });

  it('reports a body that ends in an event as truncated', async () => {
    const fixture = await open(encoding);
    const body = event(encoding, 'ADDED', { name: 'a', version: '1' });
    for (let cut = 1; cut < body.length; cut++) {
      const watch = fixture.decodeWatch([Buffer.concat([body, body.subarray(0, cut)])]);
      expect(watch.rows).toHaveLength(1);
      expect(watch.end).toBe('truncated');
    }
  });
});

describe('ProtobufDecoder, runs', () => {
  it('counts the unknown fields of a run once, also those of an event that it leaves to the reference decoder', async () => {
    const fixture = await open('protobuf');
    const unknown = (name: string, ...more: readonly Buffer[]): Buffer => {
      const metadata = nested(1, nested(1, name), nested(6, '1'));
      const pod = envelope('v1', 'Pod', metadata, nested(2, nested(99, 'x')), ...more);
      return frame(nested(1, 'ADDED'), nested(2, nested(1, pod)));
    };
    // The group is left to the reference decoder, after the unknown field.
    const group = Buffer.from([(98 << 3) | 3, 0x06, (98 << 3) | 4, 0x06].map((byte) => byte & 0xff));
    fixture.decodeWatch([Buffer.concat([unknown('a'), unknown('b'), unknown('c', group), unknown('d')])]);
    const alone = await open('protobuf');
    for (const bytes of [unknown('a'), unknown('b'), unknown('c', group), unknown('d')])
      alone.decodeEvent(bytes.subarray(4));
    expect(fixture.unknownFields).toBe(alone.unknownFields);
    expect(fixture.unknownFields).toBeGreaterThanOrEqual(3);
  });
});
