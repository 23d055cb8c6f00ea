/** What a list of pods takes on the wire, from pages that were checked: they give the digest of the server. */
import { createHash } from 'node:crypto';

const PAGE = 500;

/** The bytes of the whole list in one answer. */
export async function listBytes(server) {
  const hash = createHash('sha256');
  let next = '';
  let itemBytes = 0;
  let count = 0;
  let resourceVersion = '';
  do {
    const page = await (await fetch(`${server.url}/api/v1/pods?limit=${PAGE}&continue=${next}`)).text();
    const { metadata, items } = JSON.parse(page);
    const open = page.indexOf('"items":[') + '"items":['.length;
    itemBytes += Buffer.byteLength(page) - open - ']}\n'.length - (items.length - 1);
    for (const item of items) {
      hash.update(
        `${item.metadata.namespace}/${item.metadata.name} ${item.metadata.uid} ${item.metadata.resourceVersion}\n`,
      );
    }
    count += items.length;
    resourceVersion = metadata.resourceVersion;
    next = metadata.continue ?? '';
  } while (next !== '');
  const expected = await server.digest({ apiVersion: 'v1', kind: 'Pod' });
  if (hash.digest('hex') !== expected.digest)
    throw new Error('the pages do not give the digest of the server');
  const envelope = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"},"items":[]}\n`;
  return itemBytes + (count - 1) + envelope.length;
}
