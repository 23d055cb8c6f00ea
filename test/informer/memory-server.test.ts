import { describe, expect, it } from 'vitest';
import type { WatchOptions } from '#dist/src/reflector/lister-watcher.js';
import { MemoryServer } from '../support/servers/memory-server.js';

/** What a watch from this version sends until it has nothing more to send. */
async function changesAfter(server: MemoryServer, resourceVersion: number): Promise<string[]> {
  const abort = new AbortController();
  const options: WatchOptions = {
    resourceVersion: String(resourceVersion),
    allowWatchBookmarks: true,
    timeoutSeconds: 300,
  };
  const seen: string[] = [];
  setImmediate(() => abort.abort());
  for await (const chunk of server.listerWatcher.watch(options, abort.signal)) {
    if (chunk.type !== 'events') continue;
    for (const event of chunk.events) if ('entry' in event) seen.push(`${event.type} ${event.entry.name}`);
  }
  return seen;
}

describe('MemoryServer', () => {
  it('sends exactly the changes after the version of a watch', async () => {
    const server = new MemoryServer();
    server.write('a');
    server.write('b');
    server.write('a');
    server.remove('b');
    expect(await changesAfter(server, 1)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    expect(await changesAfter(server, 3)).toEqual(['MODIFIED a', 'DELETED b']);
    expect(await changesAfter(server, 5)).toEqual([]);
  });

  it('rejects compacted versions, and accepts the current one', async () => {
    const server = new MemoryServer();
    server.write('a');
    server.write('b');
    server.cut({ forget: true });
    await expect(changesAfter(server, 2)).rejects.toMatchObject({ status: { code: 410 } });
    server.write('c');
    expect(await changesAfter(server, 3)).toEqual(['ADDED c']);
  });
});
