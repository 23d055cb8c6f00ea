/** The cost of finding the items of a list and the events of a watch, without decoding them. */
import { deepStrictEqual } from 'node:assert';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { LineSplitter } from '#dist/workers/split/line-splitter.js';
import { ListSplitter } from '#dist/workers/split/list-splitter.js';
import { MICRO_OPTIONS, microReport } from '../runner/micro.js';
import { podsOf } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

const ITEMS = 500;
const ITEM_BYTES = 8200;
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
/** The usual size of a socket's chunk, and that of a TCP segment. */
const CHUNK_BYTES = [64 * 1024, 1460];

export const split: BenchCase = defineCase(MICRO_OPTIONS, ({ time }) => {
  const set = new RenderedSet(resolvePopulateSpec(podsOf({ objects: ITEMS, bytes: ITEM_BYTES })), 1);
  const items = Array.from({ length: set.count }, (_, i) => set.itemBytes(i, i + 1, 0).toString());
  const list = Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${items.join()}]}\n`);
  const events = Buffer.from(items.map((item) => `{"type":"MODIFIED","object":${item}}\n`).join(''));
  const tasks = CHUNK_BYTES.flatMap((chunkBytes) => [
    {
      name: `a list in chunks of ${chunkBytes}`,
      items: ITEMS,
      bytes: list.length,
      run: () => splitList(list, chunkBytes),
    },
    {
      name: `a watch in chunks of ${chunkBytes}`,
      items: ITEMS,
      bytes: events.length,
      run: () => splitLines(events, chunkBytes),
    },
  ]);
  return microReport(`Splitting ${ITEMS} pods of ${ITEM_BYTES} bytes`, tasks, time);
});

function splitList(bytes: Buffer, chunkBytes: number): void {
  let found = 0;
  const splitter = new ListSplitter(MAX_OBJECT_BYTES, {
    onItems: () => undefined,
    onItem: () => found++,
    onOversized: () => undefined,
  });
  for (const chunk of chunksOf(bytes, chunkBytes)) splitter.write(chunk);
  deepStrictEqual([splitter.end().kind, found], ['PodList', ITEMS]);
}

function splitLines(bytes: Buffer, chunkBytes: number): void {
  let found = 0;
  const splitter = new LineSplitter(MAX_OBJECT_BYTES, {
    onDocument: () => found++,
    onOversized: () => undefined,
  });
  for (const chunk of chunksOf(bytes, chunkBytes)) splitter.write(chunk);
  deepStrictEqual([splitter.end(), found], ['complete', ITEMS]);
}

function* chunksOf(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}
