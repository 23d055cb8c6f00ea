// `unshare -rn node black-hole.mjs`: two networks of their own, joined by a cable. One has an API server, the other a mirror of a collection
// of it. Then the server's answers get lost, every packet of them, for longer than a watch takes to fail three times. Prints after how long
// that was noticed, and what it cost. With `proxied`, the mirror sees none of it: a proxy beside it keeps its connections open. Defaults everywhere.
import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Engine } from 'kubeflect';
import { startApiServer } from 'kubeflect/testing';

const MIRROR = '10.99.0.1';
const SERVER = '10.99.0.2';
const LASTS_MS = 45_000;
const ip = (...args) => execFileSync('ip', args);

if (process.argv[2] === 'server') await serve();
else await mirror();

/** Leads to a port elsewhere; its own port. Whoever comes through is let go when the door is, and not before. */
async function openDoor(host, toPort, toHost) {
  const door = createServer((socket) => {
    const inside = connect(toPort, toHost);
    for (const end of [socket, inside]) end.on('error', () => {});
    socket.pipe(inside).pipe(socket);
  });
  await new Promise((resolve) => door.listen(0, host, resolve));
  return door.unref().address().port;
}

/** Obeys lines, and answers each with one. */
async function serve() {
  const lines = createInterface({ input: process.stdin });
  let server;
  const orders = {
    async up() {
      ip('link', 'set', 'lo', 'up');
      ip('addr', 'add', `${SERVER}/24`, 'dev', 'v1');
      ip('link', 'set', 'v1', 'up');
      server = await startApiServer();
      return openDoor(SERVER, server.port, '127.0.0.1');
    },
    create: (name) =>
      server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }),
    drop: () => ip('route', 'add', 'blackhole', `${MIRROR}/32`),
    heal: () => ip('route', 'del', 'blackhole', `${MIRROR}/32`),
  };
  console.log(JSON.stringify(process.pid));
  for await (const line of lines) {
    const [order, name] = line.split(' ');
    const answer = await orders[order](name);
    console.log(JSON.stringify(order === 'up' ? answer : null));
  }
  process.exit();
}

async function mirror() {
  const other = spawn('unshare', ['-n', process.execPath, fileURLToPath(import.meta.url), 'server'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await answers.next()).value);
  const order = (line) => {
    other.stdin.write(`${line}\n`);
    return answer();
  };
  const pid = await answer();
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1');
  ip('link', 'set', 'v1', 'netns', String(pid));
  ip('addr', 'add', `${MIRROR}/24`, 'dev', 'v0');
  ip('link', 'set', 'v0', 'up');
  const port = await order('up');
  await order('create before');

  const isProxied = process.argv[2] === 'proxied';
  const at = isProxied ? `127.0.0.1:${await openDoor('127.0.0.1', port, SERVER)}` : `${SERVER}:${port}`;
  const connection = { server: `http://${at}`, headers: {} };
  const engine = new Engine({ connection, workers: 1, onError: () => {} });
  const informer = engine.informer({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' });
  const isWatching = () => engine.stats().informers[0].isWatching;
  const until = async (isTrue) => {
    while (!isTrue()) await sleep(50);
  };
  informer.start();
  await informer.synced;
  await until(isWatching);
  await order('drop');
  const droppedAtMs = performance.now();
  await order('create meanwhile');
  await until(() => !isWatching());
  const noticedMs = Math.round(performance.now() - droppedAtMs);
  // The outage lasts.
  await sleep(LASTS_MS);
  await order('heal');
  const healedAtMs = performance.now();
  await until(() => informer.lister.get('default/meanwhile') !== undefined);
  const recoveredMs = Math.round(performance.now() - healedAtMs);
  const { relists } = engine.stats().informers[0];
  console.log(JSON.stringify({ noticedMs, recoveredMs, relists }));
  await engine.close();
  other.stdin.end();
  // What still hangs in the proxy.
  if (isProxied) process.exit();
}
