/** A server whose pods change at a steady rate, and that knows when it wrote each change. */
import type { Digest } from '../contenders/task.js';
import { DrivenProcess } from '../runner/driven-process.js';
import { podsOf } from './embedded.js';
import type { FeedingCalls } from './feeding-server.js';
import { realFeed } from './real-feed.js';
import type { Population } from './server.js';

export interface Feed {
  readonly kubeConfig: string;
  readonly description: string;
  /** Resolves when a watch is open. */
  watched(): Promise<void>;
  /** Resolves when everything that was written has been sent. */
  write(order: WriteOrder): Promise<Written>;
  /** What a correct cache has. */
  digest(): Promise<Digest>;
  /** Of the server's process since it started, or NaN. */
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

export interface WriteOrder {
  /** Undefined: as many as the reader takes. */
  readonly perSecond: number | undefined;
  readonly seconds: number;
}

export interface Written {
  /** Ascending. */
  readonly versions: Float64Array;
  /** The time of each write, by sharedClockMs. */
  readonly times: Float64Array;
}

export function startFeed(server: 'embedded' | 'real', population: Population): Promise<Feed> {
  return server === 'real' ? realFeed(population) : embeddedFeed(population);
}

/** The objects and encodings of the embedded server, from a server that does nothing else. */
async function embeddedFeed(population: Population): Promise<Feed> {
  const server = DrivenProcess.ofScript<FeedingCalls>(new URL('feeding-server.js', import.meta.url));
  const { kubeConfig } = await server.call('start', { spec: podsOf(population) });
  return {
    kubeConfig,
    description: `${population.objects} pods of ${population.bytes} bytes, from the embedded API server's event feed, plain HTTP`,
    async watched() {
      await server.call('watched', {});
    },
    write: (order) => server.call('write', order),
    digest: () => server.call('digest', {}),
    cpuMs: async () => (await server.call('cpu', {})).cpuMs,
    close: () => server.end(),
  };
}
