// `unshare -rn node black-hole.mjs`: two network namespaces joined by a veth pair, one with an API server, the other
// with an informer, all options at their defaults. The script drops every packet from the server for longer than a
// watch needs to fail three times. It prints how long it took to notice and to recover, and the number of relists.
// With `proxied`, a proxy beside the informer keeps its connections open, so that the informer sees no network error.
import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Engine } from 'kubeflect';
import { startApiServer } from 'kubeflect/testing';

const CLIENT_IP = '10.99.0.1';
const SERVER_IP = '10.99.0.2';
const OUTAGE_MS = 45_000;
const ip = (...args) => execFileSync('ip', args);

if (process.argv[2] === 'server') await serve();
else await runInformer();

/** Forwards a new port to another one, and keeps client connections open when that one fails. Returns the new port. */
async function openTcpProxy(host, toPort, toHost) {
  const proxy = createServer((socket) => {
    const upstream = connect(toPort, toHost);
    for (const end of [socket, upstream]) end.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise((resolve) => proxy.listen(0, host, resolve));
  return proxy.unref().address().port;
}

/** Runs the commands on standard input, one per line, and prints one line of JSON for each. */
async function serve() {
  const lines = createInterface({ input: process.stdin });
  let server;
  const commands = {
    async up() {
      ip('link', 'set', 'lo', 'up');
      ip('addr', 'add', `${SERVER_IP}/24`, 'dev', 'v1');
      ip('link', 'set', 'v1', 'up');
      server = await startApiServer();
      return openTcpProxy(SERVER_IP, server.port, '127.0.0.1');
    },
    create: (name) =>
      server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }),
    drop: () => ip('route', 'add', 'blackhole', `${CLIENT_IP}/32`),
    heal: () => ip('route', 'del', 'blackhole', `${CLIENT_IP}/32`),
  };
  console.log(JSON.stringify(process.pid));
  for await (const line of lines) {
    const [command, name] = line.split(' ');
    const result = await commands[command](name);
    console.log(JSON.stringify(command === 'up' ? result : null));
  }
  process.exit();
}

async function runInformer() {
  const serverProcess = spawn('unshare', ['-n', process.execPath, fileURLToPath(import.meta.url), 'server'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: serverProcess.stdout })[Symbol.asyncIterator]();
  const nextResult = async () => JSON.parse((await lines.next()).value);
  const send = (command) => {
    serverProcess.stdin.write(`${command}\n`);
    return nextResult();
  };
  const pid = await nextResult();
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1');
  ip('link', 'set', 'v1', 'netns', String(pid));
  ip('addr', 'add', `${CLIENT_IP}/24`, 'dev', 'v0');
  ip('link', 'set', 'v0', 'up');
  const port = await send('up');
  await send('create before');

  const isProxied = process.argv[2] === 'proxied';
  const address = isProxied
    ? `127.0.0.1:${await openTcpProxy('127.0.0.1', port, SERVER_IP)}`
    : `${SERVER_IP}:${port}`;
  const connection = { server: `http://${address}`, headers: {} };
  const engine = new Engine({ connection, workers: 1, onError: () => {} });
  const informer = engine.informer({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' });
  const isWatching = () => engine.stats().informers[0].isWatching;
  const until = async (isTrue) => {
    while (!isTrue()) await sleep(50);
  };
  informer.start();
  await informer.synced;
  await until(isWatching);
  await send('drop');
  const droppedAtMs = performance.now();
  await send('create meanwhile');
  await until(() => !isWatching());
  const noticedMs = Math.round(performance.now() - droppedAtMs);
  // The outage lasts.
  await sleep(OUTAGE_MS);
  await send('heal');
  const healedAtMs = performance.now();
  await until(() => informer.lister.get('default/meanwhile') !== undefined);
  const recoveredMs = Math.round(performance.now() - healedAtMs);
  const { relists } = engine.stats().informers[0];
  console.log(JSON.stringify({ noticedMs, recoveredMs, relists }));
  await engine.close();
  serverProcess.stdin.end();
  // Connections through the proxy are still open.
  if (isProxied) process.exit();
}
