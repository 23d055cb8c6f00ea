import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PayloadChecker } from '#dist/src/wire/check-payload.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { HOSTILE_OBJECTS } from '../support/objects/hostile-objects.js';

const RUNS = Number(process.env['RUNS'] ?? 3000);

const objects = [
  ...HOSTILE_OBJECTS,
  {
    metadata: { name: 'a', labels: { app: 'grün', '\ud800': 'x' } },
    spec: { n: [1, -2, 0.5, 2 ** 40, null] },
  },
  {
    metadata: { name: 'b', labels: { app: 'y'.repeat(300) } },
    status: { ready: true, conditions: [{}, {}] },
  },
];

function packed() {
  const packer = new ObjectPacker();
  const payloads = objects.flatMap((object) => [0, 1].map(() => Buffer.from(packer.pack(object))));
  return { payloads, definitions: packer.definitions };
}

it('accepts every payload that a worker packs', () => {
  const { payloads, definitions } = packed();
  const checker = new PayloadChecker(definitions);
  for (const payload of payloads) expect(checker.isObject(payload, 0, payload.length)).toBe(true);
});

it('accepts only what the reader reads', () => {
  const { payloads, definitions } = packed();
  const checker = new PayloadChecker(definitions);
  const reader = new ObjectReader('1');
  reader.extend(0, definitions);
  let accepted = 0;
  const change = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
  fc.assert(
    fc.property(
      fc.constantFrom(...payloads),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      (payload, changes, end) => {
        const bytes = Buffer.from(payload);
        for (const { at, value } of changes) bytes[at % bytes.length] = value;
        const length = end % 3 === 0 ? end % (bytes.length + 1) : bytes.length;
        if (!checker.isObject(bytes, 0, length)) return;
        accepted++;
        expect(reader.read(bytes, 0, length)).toBeTypeOf('object');
      },
    ),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(RUNS / 20);
});

it.each([
  ['a table that the file does not have', [0x45]],
  ['a key that is no string', [0x81, 0x01, 0x01]],
  ['more elements than bytes', [0x81, 0xa1, 0x61, 0xdd, 0xff, 0xff, 0xff, 0xff]],
  ['a string beyond the end', [0x81, 0xa1, 0x61, 0xdb, 0x00, 0x00, 0x01, 0x00, 0x61]],
  ['something that is no object', [0x01]],
  ['nothing', []],
  ['more nesting than any object has', [0x81, 0xa1, 0x61, ...new Array<number>(5000).fill(0x91), 0x01]],
])('rejects %s', (_, bytes) => {
  expect(new PayloadChecker([]).isObject(Buffer.from(bytes), 0, bytes.length)).toBe(false);
});
