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
/** Responses that do not make a watch dead. */
const HARMLESS: readonly Behaviour[] = [
  OK,
  'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n',
  // A body that does not end, and a huge one.
  'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok',
  `HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n${'x'.repeat(100_000)}`,
  'nonsense',
  { errno: 'ECONNREFUSED' },
  { errno: 'ECONNRESET' },
  { errno: 'ENOTFOUND' },
];
const FATAL: readonly Behaviour[] = ['silence', { errno: 'ETIMEDOUT' }];

/** A watch with its watchdog. */
class GuardedWatch {
  readonly socket = { bytesRead: 0 };
  death: { readonly message: string; readonly atMs: number } | undefined;
  readonly watchdog: Watchdog;

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.watchdog = new Watchdog({
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

const watches = (count: number): GuardedWatch[] => Array.from({ length: count }, () => new GuardedWatch());

describe('Watchdog', () => {
  it('sends one probe per interval for all silent watches of a thread', async () => {
    const all = watches(500);
    await clock.advance(10 * MINUTE_MS - 1);
    // Without bookmarks the watches end at the stall timeout, and no probe follows.
    expect(all.every(({ death }) => death?.atMs === LIMITS.watchStallMs)).toBe(true);
    expect(connection.requests).toHaveLength(LIMITS.watchStallMs / LIMITS.probeAfterMs - 1);
    expect(connection.sockets).toHaveLength(1);
  });

  it('keeps watches with bookmarks alive, whatever the server answers to probes', async () => {
    for (const behaviour of HARMLESS) {
      connection.behaviour = behaviour;
      const all = watches(3);
      for (let minute = 0; minute < 10; minute++) {
        for (const { socket } of all) socket.bytesRead++;
        await clock.advance(MINUTE_MS);
      }
      expect(all.map(({ death }) => death)).toEqual([undefined, undefined, undefined]);
      for (const { watchdog } of all) watchdog.stop();
    }
    expect(new Set(connection.requests.map((head) => head.split('\r\n')[0]))).toEqual(
      new Set(['GET /prefix/livez HTTP/1.1']),
    );
    expect(connection.requests[0]).toContain('Authorization: Bearer t');
  });

  it.each(FATAL)(
    'ends silent watches within 30 s of a network that answers with %s, and keeps active ones',
    async (hole) => {
      const random = new SeededRandom(7);
      for (let run = 0; run < 20; run++) {
        begin();
        const all = watches(5);
        const flowing = new GuardedWatch();
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
        flowing.watchdog.stop();
      }
    },
  );

  it('ends watches that were opened during an outage once, when it is over', async () => {
    connection.behaviour = 'silence';
    const old = new GuardedWatch();
    await clock.advance(20_000);
    const within = [new GuardedWatch()];
    await clock.advance(5000);
    expect(old.death).toBeDefined();
    // Not silent long enough to be probed when the server responds again.
    await clock.advance(6000);
    within.push(new GuardedWatch());
    connection.behaviour = OK;
    const sinceMs = clock.read();
    await clock.advance(30_000);
    for (const { death } of within) {
      expect(death?.message).toMatch(/since the server was unresponsive/);
      expect((death?.atMs ?? 0) - sinceMs).toBeLessThan(18_000);
    }
    const after = new GuardedWatch();
    await clock.advance(MINUTE_MS);
    expect(after.death).toBeUndefined();
  });

  it('keeps all watches of a process that is suspended for a minute at a time, for a day', async () => {
    const random = new SeededRandom(3);
    const all = watches(4);
    const dayMs = 24 * 60 * MINUTE_MS;
    let pauses = 0;
    for (let bookmarkAtMs = 0; clock.read() < dayMs; ) {
      await clock.advance(random.between(1, 20_000));
      if (random.chance(0.3)) {
        pauses++;
        // Half of them during a probe.
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

describe('ServerProber', () => {
  it('repeats a probe that fails on an idle socket on a new one', async () => {
    const watch = new GuardedWatch();
    await clock.advance(16_000);
    expect([connection.requests.length, connection.sockets.length]).toEqual([1, 1]);
    connection.behaviour = { errno: 'ECONNRESET' };
    await clock.advance(14_010);
    // On the idle socket, then on a new one; the next probe is answered.
    expect([connection.requests.length, connection.sockets.length]).toEqual([3, 2]);
    connection.behaviour = 'silence';
    await clock.advance(28_000);
    expect(watch.death).toBeDefined();
  });

  it('cancels a probe with the last watch that waits for it, and leaves nothing open', async () => {
    connection.behaviour = 'silence';
    const [first, second, third] = watches(3) as [GuardedWatch, GuardedWatch, GuardedWatch];
    await clock.advance(16_000);
    expect([connection.requests.length, connection.openSockets]).toEqual([1, 1]);
    first.watchdog.stop();
    second.socket.bytesRead++;
    await clock.advance(3000);
    expect(connection.openSockets).toBe(1);
    third.watchdog.stop();
    expect(connection.openSockets).toBe(0);
    second.watchdog.stop();
    expect(clock.pendingTimers).toBe(0);
    expect([first.death, second.death, third.death]).toEqual([undefined, undefined, undefined]);
  });

  it('cancels a probe whose response does not end, with the last watch', async () => {
    connection.behaviour = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok';
    const [first, second] = watches(2) as [GuardedWatch, GuardedWatch];
    await clock.advance(16_000);
    expect([connection.requests.length, connection.openSockets]).toEqual([1, 1]);
    first.watchdog.stop();
    expect(connection.openSockets).toBe(1);
    second.watchdog.stop();
    expect([connection.openSockets, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('sends no probe if the watch times out first', async () => {
    const watch = new GuardedWatch({ watchStallMs: 15_000 });
    await clock.advance(MINUTE_MS);
    expect(watch.death?.message).toBe('nothing arrived on the watch for 15000 ms');
    expect(connection.requests).toEqual([]);
  });
});
