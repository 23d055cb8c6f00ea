import type * as engine from '#dist/src/engine/engine.js';
import type * as thread from '#dist/src/pool/thread.js';
import type * as connection from '#dist/workers/connection/http-client.js';
import type * as decoders from '#dist/workers/decode/decoder-factory.js';
import type * as transcoder from '#dist/workers/decode/transcoder.js';
import type * as stream from '#dist/workers/main.js';
import type * as snapshots from '#dist/workers/snapshot/snapshot-service.js';
import type * as session from '#dist/workers/stream-session.js';
import { loadSubject, type Subject } from '../subject.js';

/** The modules under test, of both threads. Loaded by URL, so that a copy with a seeded bug can take their place. */
export interface EngineSubject extends Pick<Subject, 'ObjectEntry' | 'ApiStatusError' | 'TransportError'> {
  readonly Engine: typeof engine.Engine;
  readonly ThreadExit: typeof thread.ThreadExit;
  readonly HttpClient: typeof connection.HttpClient;
  readonly DecoderFactory: typeof decoders.DecoderFactory;
  readonly Transcoder: typeof transcoder.Transcoder;
  readonly StreamEnvironment: typeof session.StreamEnvironment;
  readonly runStream: typeof stream.runStream;
  readonly SnapshotService: typeof snapshots.SnapshotService;
}

/** `directory` is `dist/` or a copy of it. */
export async function loadEngineSubject(directory: URL): Promise<EngineSubject> {
  const load = (file: string) => import(new URL(file, directory).href);
  return {
    ...(await loadSubject(new URL('src/', directory))),
    ...((await load('src/engine/engine.js')) as typeof engine),
    ...((await load('src/pool/thread.js')) as typeof thread),
    ...((await load('workers/connection/http-client.js')) as typeof connection),
    ...((await load('workers/decode/decoder-factory.js')) as typeof decoders),
    ...((await load('workers/decode/transcoder.js')) as typeof transcoder),
    ...((await load('workers/stream-session.js')) as typeof session),
    ...((await load('workers/main.js')) as typeof stream),
    ...((await load('workers/snapshot/snapshot-service.js')) as typeof snapshots),
  };
}
