/** What it costs to find the items of a list and the events of a watch, without looking inside. */
import { deepStrictEqual } from 'node:assert';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { LineSplitter } from '#dist/workers/split/line-splitter.js';
import { ListSplitter } from '#dist/workers/split/list-splitter.js';
import { microReport } from '../micro.mjs';
import { podsOf } from '../servers/embedded.mjs';

export { options } from '../micro.mjs';

const ITEMS = 500;
const CAP_BYTES = 16 * 1024 * 1024;
/** What a socket mostly gives, and the least that anybody sends. */
const PIECES = [64 * 1024, 1460];

export function run(values) {
  const set = new RenderedSet(resolvePopulateSpec(podsOf({ objects: ITEMS })), 1);
  const list = Buffer.from(
    `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${textsOf(set).join()}]}\n`,
  );
  const events = Buffer.from(
    textsOf(set)
      .map((text) => `{"type":"MODIFIED","object":${text}}\n`)
      .join(''),
  );
  const tasks = PIECES.flatMap((piece) => [
    {
      name: `a list in pieces of ${piece}`,
      items: ITEMS,
      bytes: list.length,
      run: () => splitList(list, piece),
    },
    {
      name: `a watch in pieces of ${piece}`,
      items: ITEMS,
      bytes: events.length,
      run: () => splitLines(events, piece),
    },
  ]);
  return microReport(`Splitting ${ITEMS} pods of 8200 bytes`, tasks, values);
}

function textsOf(set) {
  return Array.from({ length: set.count }, (_, i) => set.itemBytes(i, i + 1, 0).toString());
}

function splitList(bytes, piece) {
  let found = 0;
  const splitter = new ListSplitter(CAP_BYTES, {
    onItems: () => undefined,
    onItem: () => found++,
    onOversized: () => undefined,
  });
  for (const part of partsOf(bytes, piece)) splitter.write(part);
  deepStrictEqual([splitter.end().kind, found], ['PodList', ITEMS]);
}

function splitLines(bytes, piece) {
  let found = 0;
  const splitter = new LineSplitter(CAP_BYTES, { onDocument: () => found++, onOversized: () => undefined });
  for (const part of partsOf(bytes, piece)) splitter.write(part);
  deepStrictEqual([splitter.end(), found], ['complete', ITEMS]);
}

function* partsOf(bytes, piece) {
  for (let start = 0; start < bytes.length; start += piece) yield bytes.subarray(start, start + piece);
}
