import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { ServerProber } from '#dist/workers/connection/server-prober.js';
import { Watchdog } from '#dist/workers/connection/watchdog.js';
import { type Behaviour, OK, VirtualConnection } from '../../support/servers/virtual-connection.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { VirtualClock } from '../../support/time/virtual-clock.js';

/** The defaults. */
const LIMITS = { probeAfterMs: 15_000, probeMs: 10_000, watchStallMs: 180_000 };
const CONNECTION = { server: 'http://sim/prefix/', headers: { Authorization: 'Bearer t' } };
const MINUTE_MS = 60_000;
/** What makes a watch dead, or not. */
const KEPT: readonly Behaviour[] = [
  OK,
  'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n',
  // An answer whose body does not end, and one without measure.
  'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok',
  `HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n${'x'.repeat(100_000)}`,
  'nonsense',
  { errno: 'ECONNREFUSED' },
  { errno: 'ECONNRESET' },
  { errno: 'ENOTFOUND' },
];
const DEAD: readonly Behaviour[] = ['silence', { errno: 'ETIMEDOUT' }];

/** A watch, and the dog that guards it. */
class Guarded {
  readonly socket = { bytesRead: 0 };
  death: { readonly message: string; readonly atMs: number } | undefined;
  readonly dog: Watchdog;

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.dog = new Watchdog({
      socket: this.socket as Socket,
      agent: connection.agent,
      connection: CONNECTION,
      limits: { ...LIMITS, ...limits },
      clock,
      prober,
      onDead: (message) => {
        this.death = { message, atMs: clock.read() };
      },
    });
  }
}

let clock: VirtualClock;
let connection: VirtualConnection;
let prober: ServerProber;

function begin(): void {
  clock = new VirtualClock();
  connection = new VirtualConnection(clock);
  prober = new ServerProber(clock);
}

beforeEach(begin);

const watches = (count: number): Guarded[] => Array.from({ length: count }, () => new Guarded());

describe('silent watches', () => {
  it('have the server asked once for all of them, and once per time', async () => {
    const all = watches(500);
    await clock.advance(10 * MINUTE_MS - 1);
    // Without bookmarks they are given up at their own limit; the rest is not asked for.
    expect(all.every(({ death }) => death?.atMs === LIMITS.watchStallMs)).toBe(true);
    expect(connection.requests).toHaveLength(LIMITS.watchStallMs / LIMITS.probeAfterMs - 1);
    expect(connection.sockets).toHaveLength(1);
  });

  it('that have bookmarks live, whatever the server answers', async () => {
    for (const behaviour of KEPT) {
      connection.behaviour = behaviour;
      const all = watches(3);
      for (let minute = 0; minute < 10; minute++) {
        for (const { socket } of all) socket.bytesRead++;
        await clock.advance(MINUTE_MS);
      }
      expect(all.map(({ death }) => death)).toEqual([undefined, undefined, undefined]);
      for (const { dog } of all) dog.stop();
    }
    expect(new Set(connection.requests.map((head) => head.split('\r\n')[0]))).toEqual(
      new Set(['GET /prefix/livez HTTP/1.1']),
    );
    expect(connection.requests[0]).toContain('Authorization: Bearer t');
  });

  it.each(DEAD)('die within 30 s of a black hole that gives %s, and those that flow live', async (hole) => {
    const random = new SeededRandom(7);
    for (let run = 0; run < 20; run++) {
      begin();
      const all = watches(5);
      const flowing = new Guarded();
      await clock.advance(random.between(0, 100_000));
      for (const { socket } of all) if (random.chance(0.5)) socket.bytesRead++;
      connection.behaviour = hole;
      const sinceMs = clock.read();
      for (let second = 0; second < 40; second++) {
        flowing.socket.bytesRead++;
        await clock.advance(1000);
      }
      for (const { death } of all) {
        expect(death?.message).toMatch(/the server did not answer a probe/);
        expect((death?.atMs ?? 0) - sinceMs).toBeLessThan(27_000);
      }
      expect(flowing.death).toBeUndefined();
      flowing.dog.stop();
    }
  });

  it('that were opened in a black hole die when it is over, each once', async () => {
    connection.behaviour = 'silence';
    const old = new Guarded();
    await clock.advance(20_000);
    const within = [new Guarded()];
    await clock.advance(5000);
    expect(old.death).toBeDefined();
    // Not silent for long enough to ask when the server is found to be back.
    await clock.advance(6000);
    within.push(new Guarded());
    connection.behaviour = OK;
    const sinceMs = clock.read();
    await clock.advance(30_000);
    for (const { death } of within) {
      expect(death?.message).toMatch(/since the server was unresponsive/);
      expect((death?.atMs ?? 0) - sinceMs).toBeLessThan(18_000);
    }
    const after = new Guarded();
    await clock.advance(MINUTE_MS);
    expect(after.death).toBeUndefined();
  });

  it('are not taken for dead by a process that stands still for a minute now and then, in a day', async () => {
    const random = new SeededRandom(3);
    const all = watches(4);
    const dayMs = 24 * 60 * MINUTE_MS;
    let pauses = 0;
    for (let bookmarkAtMs = 0; clock.read() < dayMs; ) {
      await clock.advance(random.between(1, 20_000));
      if (random.chance(0.3)) {
        pauses++;
        // Half of them in the middle of a question.
        if (random.chance(0.5)) connection.pauseOnRequestMs = MINUTE_MS;
        else connection.pause(MINUTE_MS);
      }
      if (clock.read() < bookmarkAtMs) continue;
      bookmarkAtMs = clock.read() + MINUTE_MS;
      for (const { socket } of all) socket.bytesRead++;
    }
    expect(all.map(({ death }) => death)).toEqual([undefined, undefined, undefined, undefined]);
    expect(pauses).toBeGreaterThan(500);
    expect(connection.requests.length).toBeGreaterThan(1000);
  });
});

describe('a question', () => {
  it('that breaks on a kept socket is asked again on a new one', async () => {
    const watch = new Guarded();
    await clock.advance(16_000);
    expect([connection.requests.length, connection.sockets.length]).toEqual([1, 1]);
    connection.behaviour = { errno: 'ECONNRESET' };
    await clock.advance(14_010);
    // On the kept one, on a new one; then the next time it was answered.
    expect([connection.requests.length, connection.sockets.length]).toEqual([3, 2]);
    connection.behaviour = 'silence';
    await clock.advance(28_000);
    expect(watch.death).toBeDefined();
  });

  it('ends with what it was asked for: nothing is left', async () => {
    connection.behaviour = 'silence';
    const [first, second, third] = watches(3) as [Guarded, Guarded, Guarded];
    await clock.advance(16_000);
    expect([connection.requests.length, connection.openSockets]).toEqual([1, 1]);
    first.dog.stop();
    second.socket.bytesRead++;
    await clock.advance(3000);
    expect(connection.openSockets).toBe(1);
    third.dog.stop();
    expect(connection.openSockets).toBe(0);
    second.dog.stop();
    expect(clock.pendingTimers).toBe(0);
    expect([first.death, second.death, third.death]).toEqual([undefined, undefined, undefined]);
  });

  it('whose answer does not end, ends with the watches, too', async () => {
    connection.behaviour = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok';
    const [first, second] = watches(2) as [Guarded, Guarded];
    await clock.advance(16_000);
    expect([connection.requests.length, connection.openSockets]).toEqual([1, 1]);
    first.dog.stop();
    expect(connection.openSockets).toBe(1);
    second.dog.stop();
    expect([connection.openSockets, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('is not asked if a watch is given up before', async () => {
    const watch = new Guarded({ watchStallMs: 15_000 });
    await clock.advance(MINUTE_MS);
    expect(watch.death?.message).toBe('nothing arrived on the watch for 15000 ms');
    expect(connection.requests).toEqual([]);
  });
});
