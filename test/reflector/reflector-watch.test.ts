import { describe, expect, it } from 'vitest';
import { ExponentialBackoffManager } from '#dist/src/util/backoff.js';
import { TransportError } from '#dist/src/util/errors.js';
import {
  added,
  bookmark,
  deleted,
  EXPIRED,
  errorEvent,
  INTERNAL,
  list,
  modified,
  pod,
  refused,
  ScriptedServer,
  statusError,
  TOO_MANY,
} from '../support/servers/scripted-server.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

const watchTimes = (server: ScriptedServer) =>
  server.requests.filter((request) => request.verb === 'watch').map((request) => request.atMs);

describe('Reflector, watch', () => {
  // TestCloseWatchChannelOnError
  it('ends the round without an error, and closes the stream, on an ERROR event', async () => {
    const server = watching();
    server.answers.push([errorEvent(INTERNAL)]);
    expect((await server.listAndWatch()).error).toBeUndefined();
    expect(server.watch.stops).toBe(1);
  });

  // TestRunUntil, TestReflectorWatchStoppedAfter, TestReflectorStopWatch
  it('stops the stream and returns when the signal aborts', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    await server.stop(running);
    expect(server.watch.stops).toBe(1);
    expect(server.errors).toEqual([]);
    expect(server.clock.pendingTimers).toBe(0);
  });

  // TestReflectorWatchStoppedBefore
  it('sends no request if the signal was aborted before', async () => {
    const server = watching();
    server.controller.abort();
    await server.run();
    expect((await server.listAndWatch()).error).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  // TestReflectorWatchHandler
  it('applies events in order and skips other types', async () => {
    const server = watching({ expectedType: 'Pod' });
    server.lists.splice(0, 1, list('10', [pod('foo', '5'), pod('bar', '6')]));
    const running = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(
      {
        type: 'ADDED',
        object: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'rejected', resourceVersion: '11' } },
      },
      deleted('foo', '12'),
      modified('bar', '13'),
      added('baz', '14'),
    );
    await server.clock.drain();
    expect(server.store.calls.slice(1)).toEqual(['delete ns/foo@12', 'update ns/bar@13', 'add ns/baz@14']);
    expect(server.reported('rejected')[0]?.rejected.reason).toBe('wrong-type');
    expect(server.reflector.lastSyncResourceVersion).toBe('14');
    await server.stop(running);
  });

  it('skips another apiVersion, a Table, and another kind, without advancing the version', async () => {
    const server = watching({ expectedGVK: { group: '', version: 'v1', kind: 'Pod' } });
    const running = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(
      { type: 'ADDED', object: { ...pod('x', '11'), apiVersion: 'v2' } },
      { type: 'ADDED', object: { ...pod('x', '12'), kind: 'Node' } },
      { type: 'ADDED', object: { ...pod('x', '13'), kind: 'Table', apiVersion: 'meta.k8s.io/v1' } },
    );
    await server.clock.drain();
    expect(server.reported('rejected').map((report) => report.rejected.reason)).toEqual([
      'wrong-gvk',
      'wrong-type',
      'table',
    ]);
    expect(server.reflector.lastSyncResourceVersion).toBe('10');
    await server.stop(running);
  });

  // TestReflectorResourceVersionUpdate
  it('passes every version to the store, including bookmarks', async () => {
    const server = watching();
    server.lists.splice(0, 1, list('5'));
    const running = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(added('a', '10'), modified('a', '20'), bookmark('30'), deleted('a', '40'));
    await server.clock.drain();
    expect(server.store.calls.slice(1)).toEqual([
      'add ns/a@10',
      'update ns/a@20',
      'bookmark 30',
      'delete ns/a@40',
    ]);
    expect(server.reflector.lastSyncResourceVersion).toBe('40');
    await server.stop(running);
  });

  // TestReflectorHandleWatchResultChanClosedBefore / ClosedAfter
  it('counts a stream that ends within a second and without events as a very short watch', async () => {
    const server = watching();
    server.answers.push((watch) => watch.close());
    expect((await server.listAndWatch()).error).toBeUndefined();
    expect(server.reported('watch-ended')[0]).toMatchObject({ kind: 'very-short', resume: 'rewatch' });
    expect(server.reported('watch-ended')[0]?.error).toMatchObject({ code: 'KUBEFLECT_VERY_SHORT_WATCH' });
    expect(server.watch.stops).toBe(1);
  });

  // TestReflectorHandleWatchStoppedBefore / StoppedAfter
  it('reads once and stops once when it is stopped while waiting', async () => {
    const server = watching();
    const running = server.listAndWatch();
    await server.clock.drain();
    await server.stop(running);
    expect(server.watch).toMatchObject({ reads: 1, stops: 1 });
  });

  it('reopens a stream that was closed, from the last version, without a list', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '11'));
    await server.clock.advance(5000);
    server.watch.close();
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 11']);
    await server.stop(running);
  });

  // TestReflectorListAndWatchInitConnBackoff
  it('backs off while connections are refused, up to the maximum, without a list', async () => {
    const server = watching();
    server.answers.push(...Array.from({ length: 9 }, refused), []);
    const running = server.run();
    await server.clock.advance(200_000);
    const times = watchTimes(server);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
    expect(server.sent.filter((sent) => sent.startsWith('list'))).toHaveLength(1);
    expect(server.errors).toEqual([]);
    await server.stop(running);
  });

  // TestNewReflectorWithCustomBackoff
  it('uses a configured backoff: 10, 20, 40, 80, 100', async () => {
    const clock = new VirtualClock();
    const random = (): number => 0;
    const backoffManager = new ExponentialBackoffManager({
      initMs: 10,
      maxMs: 100,
      jitter: 0,
      clock,
      random,
    });
    const server = watching({ backoffManager, clock });
    server.answers.push(...Array.from({ length: 5 }, refused), []);
    const running = server.run();
    await clock.advance(249);
    expect(server.requests).toHaveLength(6);
    await clock.advance(1);
    expect(server.requests).toHaveLength(7);
    await server.stop(running);
  });

  // TestBackoffOnTooManyRequests
  it('backs off once for a 429 on opening and once for a 429 in the stream', async () => {
    const server = watching();
    server.answers.push(statusError(TOO_MANY), [errorEvent(TOO_MANY)], []);
    const running = server.run();
    await server.clock.advance(10_000);
    const start = watchTimes(server)[0] ?? 0;
    expect(watchTimes(server).map((time) => time - start)).toEqual([0, 800, 2400]);
    await server.stop(running);
  });

  // TestNoRelistOnTooManyRequests
  it('does not list again after four 429s: one list, five watches', async () => {
    const server = watching();
    server.answers.push(...Array.from({ length: 4 }, () => statusError(TOO_MANY)), []);
    const running = server.run();
    await server.clock.advance(60_000);
    expect(server.sent).toEqual(['list 0 500', ...Array.from({ length: 5 }, () => 'watch 10')]);
    await server.stop(running);
  });

  it.each([
    ['its header', statusError(TOO_MANY, 20_000)],
    ['its details', statusError({ ...TOO_MANY, details: { retryAfterSeconds: 20 } })],
  ])('waits for the Retry-After of a 429 in %s', async (_, error) => {
    const server = watching();
    server.answers.push(error, []);
    const running = server.run();
    await server.clock.advance(19_999);
    expect(watchTimes(server)).toHaveLength(1);
    await server.clock.advance(1);
    expect(watchTimes(server)).toHaveLength(2);
    await server.stop(running);
  });

  it('waits for the Retry-After of a failed list', async () => {
    const server = new ScriptedServer();
    server.lists.push(statusError(TOO_MANY, 20_000), list('10'));
    const running = server.run();
    await server.clock.advance(19_999);
    expect(server.sent).toEqual(['list 0 500']);
    await server.clock.advance(1);
    expect(server.sent).toEqual(['list 0 500', 'list 0 500', 'watch 10']);
    await server.stop(running);
  });

  // TestRetryInternalError
  it('does not retry a 500 in the stream without a relist by default', async () => {
    const server = watching();
    server.answers.push([errorEvent(INTERNAL)]);
    expect((await server.listAndWatch()).error).toBeUndefined();
    expect(watchTimes(server)).toHaveLength(1);
  });

  it('retries a 500 in the stream until its deadline, which is reset by a quiet minute', async () => {
    const server = watching({ maxInternalErrorRetryDurationMs: 5000 });
    server.answers.push([errorEvent(INTERNAL)], [errorEvent(INTERNAL)], []);
    const running = server.listAndWatch();
    await server.clock.advance(3000);
    expect(watchTimes(server)).toHaveLength(3);
    await server.clock.advance(58_001);
    server.answers.splice(0, Infinity, []);
    server.watch.send(errorEvent(INTERNAL));
    await server.clock.advance(2000);
    expect(watchTimes(server)).toHaveLength(4);
    await server.clock.advance(6000);
    server.watch.send(errorEvent(INTERNAL));
    await server.clock.drain();
    expect((await running).error).toBeUndefined();
    expect(watchTimes(server)).toHaveLength(4);
  });

  it('passes a rejected watch to the error handler, but not a broken stream', async () => {
    const server = watching();
    server.answers.push(statusError({ code: 403, reason: 'Forbidden', message: 'no watch for you' }), [
      errorEvent(EXPIRED),
    ]);
    const running = server.run();
    await server.clock.advance(2000);
    expect(server.errors.map((error) => error.message)).toEqual([
      'failed to watch <unspecified>: no watch for you',
    ]);
    await server.stop(running);
  });

  it('relists after 410 Gone, as a response and as an event, at the last version', async () => {
    const server = watching();
    server.lists.push(list('12'));
    server.answers.push(statusError(EXPIRED), [added('a', '13'), errorEvent(EXPIRED)], []);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent).toEqual([
      'list 0 500',
      'watch 10',
      'list 10 -',
      'watch 12',
      'list 13 -',
      'list  -',
      'watch 12',
    ]);
    expect(server.errors).toHaveLength(1);
    await server.stop(running);
  });

  // TestReflectorReplacesStoreOnUnsafeDelete
  it('relists after a StorageReadError, so that the corrupt object is removed', async () => {
    const server = watching();
    server.lists.splice(
      0,
      1,
      list('10', [pod('corrupt', '3'), pod('fine', '4')]),
      list('11', [pod('fine', '4')]),
    );
    server.answers.push([errorEvent({ code: 500, reason: 'StorageReadError' })], []);
    const running = server.run();
    await server.clock.advance(1000);
    expect(server.store.contents).toEqual(['ns/fine@4']);
    await server.stop(running);
  });

  it.each([
    ['reset by peer', new TransportError('ECONNRESET', 'reset')],
    ['ended in the middle of a line', new TransportError('EOF', 'unexpected EOF')],
  ])('treats a stream that was %s as ended', async (_, error) => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '11'));
    await server.clock.advance(2000);
    server.watch.fail(error);
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 11']);
    expect(server.errors).toEqual([]);
    await server.stop(running);
  });

  it('abandons a stream that outlives its own timeout', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.advance(329_999);
    expect(watchTimes(server)).toHaveLength(1);
    await server.clock.advance(2);
    expect(watchTimes(server)).toHaveLength(2);
    expect(server.watches[0]?.stops).toBe(1);
    await server.stop(running);
  });

  // TestWatchTimeout
  it.each([
    [undefined, 0, 300],
    [undefined, 0.9999, 599],
    [1000, 0, 300],
    [1_800_000, 0, 1800],
    [1_800_000, 0.9999, 3599],
  ])(
    'with a minimum of %s ms and a random value of %s, requests a timeout of %s s',
    async (minWatchTimeoutMs, chance, seconds) => {
      const server = watching({ random: () => chance, ...(minWatchTimeoutMs && { minWatchTimeoutMs }) });
      const running = server.listAndWatch();
      await server.clock.drain();
      expect(server.requests[1]).toMatchObject({ timeoutSeconds: seconds });
      await server.stop(running);
    },
  );

  it('waits a full delay after each round, clean or not, counted from its end', async () => {
    const server = watching();
    server.answers.push([errorEvent(EXPIRED)]);
    const running = server.run();
    await server.clock.advance(799);
    expect(server.sent).toHaveLength(2);
    await server.clock.advance(1);
    expect(server.sent).toHaveLength(4);
    await server.stop(running);
  });

  it('waits a constant period if one is configured', async () => {
    const server = new ScriptedServer({ periodMs: 1000 });
    server.lists.push(statusError({ code: 500 }));
    const running = server.run();
    await server.clock.advance(5000);
    expect(server.requests.map((request) => request.atMs)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    await server.stop(running);
  });

  it('ignores the versions of synthetic events of a watch without a version', async () => {
    const server = new ScriptedServer();
    server.lists.push(list(''));
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '7'), added('b', '3'));
    await server.clock.advance(2000);
    server.watch.close();
    await server.clock.drain();
    server.watch.send(modified('b', '8'));
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch', 'watch']);
    expect(server.reflector.lastSyncResourceVersion).toBe('8');
    await server.stop(running);
  });

  it('reads no more while the store is behind', async () => {
    const server = watching();
    const running = server.listAndWatch();
    await server.clock.drain();
    server.store.isBehind = true;
    server.watch.send(added('a', '11'), added('b', '12'), added('c', '13'));
    await server.clock.drain();
    expect(server.store.calls).toEqual(['replace @10', 'add ns/a@11']);
    server.store.catchUp();
    await server.clock.drain();
    expect(server.store.contents).toHaveLength(3);
    await server.stop(running);
  });

  it('stops while the store is behind', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    server.store.isBehind = true;
    server.watch.send(added('a', '11'));
    await server.clock.drain();
    await server.stop(running);
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('yields to the event loop every few milliseconds, however fast events arrive', async () => {
    const server = watching();
    let workedMs = 0;
    const nowMs = server.clock.now.bind(server.clock);
    server.clock.now = () => nowMs() + workedMs;
    const add = server.store.add.bind(server.store);
    server.store.add = (entry) => {
      workedMs += 2;
      add(entry);
    };
    server.answers.push(Array.from({ length: 30 }, (_, index) => added(`p${index}`, String(11 + index))));
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.store.entries.size).toBe(30);
    expect(server.clock.turns).toBe(9);
    await server.stop(running);
  });

  it('throws if it is run twice at a time', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    await expect(server.run()).rejects.toMatchObject({ code: 'KUBEFLECT_REFLECTOR_RUNNING' });
    await server.stop(running);
  });

  it('is not ended by a report callback that throws', async () => {
    const server = watching({
      report: () => {
        throw new Error('reporter');
      },
      watchErrorHandler: () => {
        throw new Error('handler');
      },
    });
    server.lists.unshift(statusError({ code: 500 }));
    server.answers.push([errorEvent(EXPIRED)], []);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.reflector.phase).toBe('watching');
    await server.stop(running);
  });

  it('reports errors without an error handler: expired at level debug, others at level error', async () => {
    const server = new ScriptedServer({ watchErrorHandler: undefined as never });
    server.lists.push(list('10'), statusError({ code: 500 }));
    server.answers.push(statusError(EXPIRED));
    const running = server.run();
    await server.clock.advance(2000);
    expect(server.reported('error').map((report) => report.level)).toEqual(['debug', 'error']);
    await server.stop(running);
  });
});

describe('Reflector, resync', () => {
  // TestReflectorResyncChan
  it("calls the store's resync each period, without a request", async () => {
    const server = watching({ resyncPeriodMs: 60_000 });
    const running = server.run();
    await server.clock.advance(180_000);
    expect(server.store.calls).toEqual(['replace @10', 'resync', 'resync', 'resync']);
    expect(server.requests).toHaveLength(2);
    await server.stop(running);
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('calls shouldResync first', async () => {
    let asked = 0;
    const server = watching({ resyncPeriodMs: 60_000, shouldResync: () => asked++ > 0 });
    const running = server.run();
    await server.clock.advance(120_000);
    expect(server.store.calls).toEqual(['replace @10', 'resync']);
    await server.stop(running);
  });

  // TestReflectorResync
  it('ends the watch without an error if the store fails, and continues', async () => {
    const server = watching({ resyncPeriodMs: 60_000 });
    server.store.failures.push({ call: 'resync', error: new Error('no') });
    const running = server.run();
    await server.clock.advance(65_000);
    expect(server.errors).toEqual([]);
    expect(server.reported('watch-ended')[0]).toMatchObject({ kind: 'resync', resume: 'rewatch' });
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10']);
    await server.clock.advance(65_000);
    expect(server.store.calls.filter((call) => call === 'resync')).toHaveLength(2);
    await server.stop(running);
  });

  it('fails the next read if the store fails while no stream is open', async () => {
    const server = watching({ resyncPeriodMs: 1000 });
    server.answers.push(statusError(TOO_MANY, 5000), []);
    server.store.failures.push({ call: 'resync', error: new Error('no') });
    const running = server.run();
    await server.clock.advance(5500);
    expect(server.reported('watch-ended')[0]).toMatchObject({ kind: 'resync' });
    await server.clock.advance(30_000);
    expect(server.reported('watch-ended'), 'one failure ends one stream').toHaveLength(1);
    await server.stop(running);
  });

  it('restarts its period with each list, but not with a rewatch', async () => {
    const server = watching({ resyncPeriodMs: 10_000 });
    const running = server.run();
    await server.clock.advance(6000);
    server.watch.send(errorEvent({ code: 418 }));
    await server.clock.advance(4000);
    expect(server.store.calls).toEqual(['replace @10', 'resync']);
    server.watch.send(errorEvent(EXPIRED));
    await server.clock.advance(11_000);
    expect(server.store.calls).toEqual(['replace @10', 'resync', 'replace @10']);
    await server.clock.advance(2000);
    expect(server.store.calls.at(-1)).toBe('resync');
    await server.stop(running);
  });
});
