import {
  type ApiServerHandle,
  type Fault,
  type FaultSpec,
  type FaultType,
  startApiServer,
} from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type AskOptions, ask, lines } from '../support/servers/http-client.js';

interface WatchLine {
  type: string;
  object: {
    kind: string;
    metadata: { name?: string; resourceVersion?: string; annotations?: object };
    code?: number;
  };
}

const LIST = '/api/v1/namespaces/default/configmaps';
const WATCH = `${LIST}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1`;
const NAMES = ['a', 'b', 'c'];

/** Which test sees which fault; the last test compares it with the faults there are. */
const seen = new Set<FaultType>();

let server: ApiServerHandle;

beforeAll(async () => {
  server = await startApiServer();
  for (const name of NAMES) {
    await server.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { k: 'v'.repeat(100) },
    });
  }
});

afterEach(() => server.faults.clear());
afterAll(() => server.close());

async function askWith(fault: Fault, path: string, options: AskOptions = {}): Promise<Answer> {
  seen.add(fault.type);
  await server.faults.add({ fault });
  return ask(server.url + path, options);
}

function events(response: Answer): WatchLine[] {
  return lines(response.text) as WatchLine[];
}

describe('faults of the connection', () => {
  it('refuse closes the connection, and new ones are refused for a while', async () => {
    await server.faults.add({ fault: { type: 'refuse', forMs: 300 }, count: 1 });
    seen.add('refuse');
    await expect(ask(server.url + LIST)).rejects.toThrow('ECONNRESET');
    await expect(ask(server.url + LIST)).rejects.toThrow('ECONNREFUSED');
    await expect
      .poll(
        () =>
          ask(server.url + LIST).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 5000 },
      )
      .toBe(200);
  });

  it('delay postpones the response', async () => {
    const before = performance.now();
    const response = await askWith({ type: 'delay', ms: 200 }, LIST);
    expect(response.status).toBe(200);
    expect(performance.now() - before).toBeGreaterThanOrEqual(195);
  });

  it('stall sends nothing at all', async () => {
    await expect(askWith({ type: 'stall' }, LIST, { timeoutMs: 300 })).rejects.toThrow('timeout');
  });

  it('stall after some bytes leaves the body unfinished', async () => {
    const response = await askWith({ type: 'stall', afterBytes: 10 }, LIST, { timeoutMs: 300 });
    expect(response).toMatchObject({ status: 200, text: '{"kind":"C' });
    expect(response.ending).not.toBe('end');
  });

  it('cut closes the connection in mid-body', async () => {
    for (const afterBytes of [0, 1, 57]) {
      await server.faults.clear();
      const response = await askWith({ type: 'cut', afterBytes }, LIST);
      expect(response.status).toBe(200);
      expect(response.text.length).toBe(afterBytes);
      expect(response.ending).not.toBe('end');
    }
  });

  it('end terminates the body cleanly, too early', async () => {
    for (const [path, afterBytes] of [
      [LIST, 1],
      [LIST, 57],
      [`${LIST}/a`, 57],
    ] as const) {
      await server.faults.clear();
      const response = await askWith({ type: 'end', afterBytes }, path);
      expect(response).toMatchObject({ status: 200, ending: 'end' });
      expect(response.text.length).toBe(afterBytes);
    }
  });

  it('reset closes the connection in mid-body by RST', async () => {
    const response = await askWith({ type: 'reset', afterBytes: 20 }, LIST).catch((error: Error) => error);
    if (response instanceof Error) expect(response.message).toBe('ECONNRESET');
    else expect(response).toMatchObject({ status: 200, ending: 'ECONNRESET' });
  });

  it('chunks writes the body in chunks of the given sizes', async () => {
    const whole = await ask(server.url + WATCH);
    const response = await askWith({ type: 'chunks', sizes: [1, 2, 3] }, WATCH);
    expect(response.text).toBe(whole.text);
    expect(response.chunks.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 3]);
    await server.faults.clear();
    const single = await askWith({ type: 'chunks', sizes: [1] }, WATCH);
    expect(new Set(single.chunks)).toEqual(new Set([1]));
  });
});

describe('faults of the response', () => {
  it('status responds with a Status of any code, reason and Retry-After', async () => {
    const response = await askWith(
      { type: 'status', code: 429, reason: 'TooManyRequests', message: 'not now', retryAfterSeconds: 7 },
      LIST,
    );
    expect(response.status).toBe(429);
    expect(response.headers['retry-after']).toBe('7');
    expect(JSON.parse(response.text)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'not now',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 7 },
      code: 429,
    });
  });

  it('maxInFlight responds with 429 while so many others are in flight', async () => {
    seen.add('maxInFlight');
    await server.faults.add({ fault: { type: 'maxInFlight', max: 2, retryAfterSeconds: 7 } });
    await server.faults.add({ match: { verb: 'list' }, fault: { type: 'delay', ms: 200 } });
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => ask(server.url + LIST)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    const rejected = responses.find(({ status }) => status === 429);
    expect(rejected?.headers).toMatchObject({ 'retry-after': '7' });
    const watches = await Promise.all([1, 2, 3].map(() => ask(server.url + WATCH)));
    expect(watches.map(({ status }) => status)).toContain(200);
    expect((await ask(server.url + LIST)).status).toBe(200);
  });

  it('plainText responds like priority and fairness, an unknown group and the aggregator', async () => {
    const expected = new Map([
      [429, 'Too many requests, please try again later.\n'],
      [404, '404 page not found\n'],
      [503, 'service unavailable\n'],
    ]);
    for (const [code, text] of expected) {
      await server.faults.clear();
      const response = await askWith({ type: 'plainText', code, retryAfterSeconds: 3 }, LIST);
      expect(response).toMatchObject({ status: code, text });
      expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(response.headers['retry-after']).toBe('3');
    }
  });

  it('redirect sends a redirect to another URL', async () => {
    const response = await askWith({ type: 'redirect', location: 'http://127.0.0.1:9/' }, LIST);
    expect(response.status).toBe(307);
    expect(response.headers['location']).toBe('http://127.0.0.1:9/');
  });

  it('expireContinue rejects a valid token with 410 and includes a new one', async () => {
    const first = JSON.parse((await ask(`${server.url}${LIST}?limit=1`)).text) as {
      metadata: { continue: string };
    };
    const path = `${LIST}?limit=1&continue=${first.metadata.continue}`;
    const response = await askWith({ type: 'expireContinue' }, path);
    expect(response.status).toBe(410);
    const status = JSON.parse(response.text) as { reason: string; metadata: { continue: string } };
    expect(status.reason).toBe('Expired');
    await server.faults.clear();
    const rest = await ask(`${server.url}${LIST}?continue=${status.metadata.continue}`);
    const { items } = JSON.parse(rest.text) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  });
});

describe('faults of lists', () => {
  it.each(['', '?limit=2'])('wrongKind changes the kind of one item of the list %s', async (query) => {
    const response = await askWith({ type: 'wrongKind', nth: 1, kind: 'Secret' }, LIST + query);
    const { items } = JSON.parse(response.text) as { items: { kind?: string }[] };
    expect(items.map(({ kind }) => kind).slice(0, 2)).toEqual([undefined, 'Secret']);
  });

  it.each(['', '?limit=2'])('invalidJson corrupts the body of the list %s', async (query) => {
    const response = await askWith({ type: 'invalidJson', nth: 1 }, LIST + query);
    expect(response).toMatchObject({ status: 200, ending: 'end' });
    expect(() => JSON.parse(response.text) as unknown).toThrow(SyntaxError);
  });

  it.each(['', '?limit=3'])(
    'truncatedJson ends the body of the list %s cleanly in mid-item',
    async (query) => {
      const whole = await ask(server.url + LIST + query);
      const response = await askWith({ type: 'truncatedJson', nth: 1 }, LIST + query);
      expect(response).toMatchObject({ status: 200, ending: 'end' });
      expect(whole.text.startsWith(response.text)).toBe(true);
      expect(response.text.length).toBeLessThan(whole.text.length - 100);
      expect(response.text).toContain('"name":"b"');
    },
  );
});

describe('faults of watches', () => {
  it('closeAfterEvents ends the stream cleanly', async () => {
    const response = await askWith({ type: 'closeAfterEvents', events: 2 }, WATCH);
    expect(response.ending).toBe('end');
    expect(events(response).map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
  });

  it('errorEvent sends an ERROR and ends', async () => {
    const response = await askWith(
      {
        type: 'errorEvent',
        code: 500,
        reason: 'InternalError',
        message: 'etcd has gone away',
        afterEvents: 1,
      },
      WATCH,
    );
    expect(events(response).map(({ type }) => type)).toEqual(['ADDED', 'ERROR']);
    expect(events(response)[1]?.object).toMatchObject({ kind: 'Status', code: 500, reason: 'InternalError' });
  });

  it('expireHistory sends 410 to a watch', async () => {
    const { metadata } = JSON.parse((await ask(server.url + LIST)).text) as {
      metadata: { resourceVersion: string };
    };
    const path = `${WATCH}&resourceVersion=${metadata.resourceVersion}`;
    const response = await askWith({ type: 'expireHistory' }, path);
    expect(response.status).toBe(200);
    expect(events(response)).toHaveLength(1);
    expect(events(response)[0]).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('dropBookmarks omits the end bookmark too', async () => {
    const usual = await ask(server.url + WATCH);
    expect(events(usual).map(({ type }) => type)).toContain('BOOKMARK');
    const response = await askWith({ type: 'dropBookmarks' }, WATCH);
    expect(events(response).map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED']);
  });

  it('dropBookmarks omits only the end bookmark if asked to', async () => {
    const path = `${LIST}?watch=1&allowWatchBookmarks=1&timeoutSeconds=3`;
    const types = (response: Answer) => events(response).map(({ type }) => type);
    const asking = askWith({ type: 'dropBookmarks', which: 'initial-events-end' }, path);
    // The server sends a last bookmark if something has happened since the start of the watch.
    await expect.poll(async () => (await server.counters()).openWatches).toBe(1);
    await server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'later' } });
    const response = await asking;
    await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'later' });
    expect(types(response)).toEqual(['ADDED', 'ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
    expect(JSON.stringify(events(response))).not.toContain('initial-events-end');
  });

  it('closeAfterMs ends the stream cleanly', async () => {
    const response = await askWith({ type: 'closeAfterMs', ms: 50 }, `${LIST}?watch=1&timeoutSeconds=600`);
    expect(response.status).toBe(200);
    expect(events(response)).toHaveLength(3);
    await server.faults.clear();
    const silent = await askWith({ type: 'closeAfterMs', ms: 50, isSilent: true }, WATCH);
    expect(silent).toMatchObject({ status: 200, text: '' });
  });

  it('wrongKind, invalidJson and truncatedJson corrupt one event', async () => {
    const wrong = await askWith({ type: 'wrongKind', nth: 1, kind: 'Secret' }, WATCH);
    expect(
      events(wrong)
        .map(({ object }) => object.kind)
        .slice(0, 3),
    ).toEqual(['ConfigMap', 'Secret', 'ConfigMap']);
    await server.faults.clear();
    const invalid = await askWith({ type: 'invalidJson', nth: 1 }, WATCH);
    expect(
      lines(invalid.text)
        .map((line) => typeof line)
        .slice(0, 3),
    ).toEqual(['object', 'string', 'object']);
    await server.faults.clear();
    const truncated = await askWith({ type: 'truncatedJson', nth: 1 }, WATCH);
    expect(truncated.ending).toBe('end');
    expect(truncated.text.endsWith('\n')).toBe(false);
    expect(lines(truncated.text).map((line) => typeof line)).toEqual(['object', 'string']);
  });

  it('duplicateEvents sends each event twice', async () => {
    const response = await askWith({ type: 'duplicateEvents' }, WATCH);
    const names = events(response)
      .filter(({ type }) => type === 'ADDED')
      .map(({ object }) => object.metadata.name);
    expect(names).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('staleEvents repeats the previous event with its older version', async () => {
    const response = await askWith({ type: 'staleEvents' }, WATCH);
    const names = events(response)
      .filter(({ type }) => type === 'ADDED')
      .map(({ object }) => object.metadata.name);
    expect(names).toEqual(['a', 'b', 'a', 'c', 'b']);
  });
});

describe('matching of faults', () => {
  it('a fault affects the matching requests, after `skip` of them, `count` times', async () => {
    const id = await server.faults.add({
      match: { verb: 'list', path: '/configmaps$/', skip: 1 },
      count: 2,
      fault: { type: 'status', code: 503 },
    });
    const statusOf = async (path: string): Promise<number> => (await ask(server.url + path)).status;
    expect(await statusOf('/api/v1/namespaces')).toBe(200);
    expect(await statusOf(`${LIST}/a`)).toBe(200);
    expect([await statusOf(LIST), await statusOf(LIST), await statusOf(LIST), await statusOf(LIST)]).toEqual([
      200, 503, 503, 200,
    ]);
    expect(await server.faults.hits()).toEqual([{ id, type: 'status', hits: 2 }]);
    const touched = (await server.requests()).filter(({ faults }) => faults.includes('status'));
    expect(touched.at(-1)).toMatchObject({ verb: 'list', path: LIST, status: 503 });
    await server.faults.remove(id);
    expect(await server.faults.hits()).toEqual([]);
  });

  it('a fault can match query parameters', async () => {
    await server.faults.add({
      match: { query: { labelSelector: 'a!=b', limit: '1' } },
      fault: { type: 'status', code: 503 },
    });
    const statusOf = async (query: string): Promise<number> =>
      (await ask(`${server.url}${LIST}?${query}`)).status;
    expect(await statusOf('limit=1')).toBe(200);
    expect(await statusOf('limit=2&labelSelector=a!%3Db')).toBe(200);
    expect(await statusOf('limit=1&labelSelector=a!%3Db')).toBe(503);
  });
});

it('unknown faults, fields and verbs are rejected by name', async () => {
  const refused: [message: string, spec: object][] = [
    ['unknown fault cutt; expected one of refuse, delay', { fault: { type: 'cutt' } }],
    ['unknown fault undefined', {}],
    [
      'unknown field afterByte of the fault cut; expected one of type, afterBytes',
      { fault: { type: 'cut', afterByte: 1 } },
    ],
    [
      'unknown field vreb of match; expected one of verb',
      { match: { vreb: 'watch' }, fault: { type: 'expireHistory' } },
    ],
    [
      'unknown verb wach; expected one of list',
      { match: { verb: 'wach' }, fault: { type: 'expireHistory' } },
    ],
    ['unknown field times of a fault; expected one of match', { fault: { type: 'expireHistory' }, times: 1 }],
  ];
  for (const [message, spec] of refused)
    await expect(server.faults.add(spec as FaultSpec)).rejects.toThrow(`faults.add: ${message}`);
  expect(await server.faults.hits()).toEqual([]);
});

it('every fault is covered by the tests above', () => {
  const all: Record<FaultType, true> = {
    refuse: true,
    delay: true,
    stall: true,
    cut: true,
    reset: true,
    end: true,
    closeAfterEvents: true,
    closeAfterMs: true,
    chunks: true,
    status: true,
    maxInFlight: true,
    plainText: true,
    errorEvent: true,
    expireHistory: true,
    expireContinue: true,
    dropBookmarks: true,
    wrongKind: true,
    invalidJson: true,
    truncatedJson: true,
    duplicateEvents: true,
    staleEvents: true,
    redirect: true,
  };
  expect([...seen].sort()).toEqual(Object.keys(all).sort());
});
