import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CredentialFixture } from '../support/credentials/credential-fixture.js';
import { ExecFolder } from '../support/credentials/exec-folder.js';
import { HOSTILE_MODES, HostileServer } from '../support/servers/hostile-server.js';
import { TunnelProxy } from '../support/servers/tunnel-proxy.js';

const CANARIES = 1000;
/** Of them, those that are data of objects. */
const IN_OBJECTS = 100;

const CLIENT = fileURLToPath(new URL('../support/processes/canary-client.mjs', import.meta.url));
const PLUGIN = fileURLToPath(new URL('../support/processes/exec-plugin.mjs', import.meta.url));

const newCanary = (): string => `canary-${randomBytes(12).toString('hex')}`;

/** As it is, or in base64, which looks different for each of three offsets; what depends on its neighbours is left out. */
const IN_BASE64 = [
  ['', 0, 8],
  ['x', 2, 10],
  ['xx', 3, 12],
].map(([before, start, end]) =>
  Buffer.from(`${before}canary-`).toString('base64').slice(Number(start), Number(end)),
);
const CANARY = new RegExp(['canary-[0-9a-f]{24}', ...IN_BASE64].join('|'), 'g');

interface Output {
  readonly text: string;
  readonly exitCode: number;
}

/** With everything on that Node itself can print of sockets, TLS and HTTP. */
function runClient(plan: string): Promise<Output> {
  const env = { ...process.env, NODE_DEBUG: 'http,https,net,tls,stream,worker' };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CLIENT, plan],
      { env, maxBuffer: 1 << 30, timeout: 50_000 },
      (_, stdout, stderr) => resolve({ text: stdout + stderr, exitCode: child.exitCode ?? -1 }),
    );
  });
}

it('a thousand secrets of all kinds appear in no log, error, metric or message, whatever goes wrong', async () => {
  const canaries = Array.from({ length: CANARIES }, newCanary);
  await using world = await CredentialFixture.start();
  await using hostile = await HostileServer.start(canaries.slice(0, IN_OBJECTS));
  await using proxy = await TunnelProxy.start('http', { user: 'user', password: 'right', routes: {} });
  await using socks = await TunnelProxy.start('socks5', { user: 'user', password: 'right', routes: {} });
  using folder = new ExecFolder();
  let refusals = 0;
  world.apiServer.authorize = () => (refusals++ % 2 === 0 ? 401 : 403);
  const pairs = Array.from({ length: 5 }, (_, i) => world.apiServer.certificateOf(`client ${i}`));
  const plugged = canaries.pop() ?? '';
  folder.answer({ token: plugged });
  const plan = {
    folder: folder.path,
    plugin: PLUGIN,
    ca: world.ca,
    apiServer: world.apiServer.url,
    hostile: hostile.url,
    proxies: [proxy.url, socks.url],
    pairs,
    modes: HOSTILE_MODES,
    canaries: canaries.slice(IN_OBJECTS),
    result: `${folder.path}/result.json`,
  };
  const { text, exitCode } = await runClient(folder.write('plan.json', JSON.stringify(plan)));
  expect(exitCode, text.slice(-3000)).toBe(0);

  // All were used, and many arrived: so they were there to be seen.
  expect(JSON.parse(readFileSync(plan.result, 'utf8'))).toEqual({ unused: 0 });
  const sent = [...hostile.sent, ...world.apiServer.received.map(({ authorization = '' }) => authorization)];
  expect(sent.filter((value) => value.includes('canary-')).length).toBeGreaterThan(CANARIES / 4);
  expect(hostile.sent).toContain(`Bearer ${plugged}`);
  // And much was said.
  for (const said of [
    'KUBEFLECT_CREDENTIALS_FAILED',
    'KUBEFLECT_OPTION_INVALID',
    'KUBEFLECT_REJECTED',
    'EPROXY',
    'ECONNREFUSED',
    'who is',
    'wrote to standard error are not shown',
    'kubeflect_credentials_refreshes_total',
    'HTTP ',
    'NET ',
    'TLS ',
  ]) {
    expect(text).toContain(said);
  }

  expect(text.match(CANARY)).toBeNull();
  const keys = pairs.flatMap(({ privateKey }) => privateKey.split('\n').filter((line) => line.length > 40));
  expect(keys.length).toBeGreaterThanOrEqual(pairs.length);
  expect(keys.filter((key) => text.includes(key))).toEqual([]);
}, 60_000);

it('the search finds a secret that is in the output', () => {
  const canary = newCanary();
  for (const before of ['', 'x', 'xx', 'user:']) {
    expect(`${before}${canary}`).toMatch(CANARY);
    expect(Buffer.from(`${before}${canary}`).toString('base64')).toMatch(CANARY);
  }
});
