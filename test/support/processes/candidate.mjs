// A candidate with a LeaderElector. While it is the leader it acts: each action writes its start and its end to a config
// map, conditional on the version before. Prints one JSON object per line; ends at SIGTERM, and when it reads `stop`;
// `block 20000` blocks the main thread in the middle of an action. `node candidate.mjs <plan as JSON>`.
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { LeaderElector } from 'kubeflect/controller';

const plan = JSON.parse(process.argv[2]);
const { namespace, lease, log, identity, times } = plan;
const PAUSE_MS = 50;

const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(readFileSync(plan.kubeConfig, 'utf8'));
const server = new URL(kubeConfig.getCurrentCluster().server);
const login = {};
await kubeConfig.applyToHTTPSOptions(login);
const { request: send, Agent } = server.protocol === 'https:' ? https : http;
const { headers = {}, agent: _, auth: __, ...tls } = login;
const agent = new Agent({ ...tls, keepAlive: true });

const report = (event, details) => console.log(JSON.stringify({ event, actor: identity, ...details }));

class StatusError extends Error {
  constructor(code) {
    super(`the server answered ${code}`);
    this.code = code;
  }
}

function request(method, body, signal) {
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        agent,
        method,
        host: server.hostname,
        port: server.port,
        path: `/api/v1/namespaces/${namespace}/configmaps/${log}`,
        headers: { ...headers, Accept: 'application/json', 'Content-Type': 'application/json' },
        signal,
      },
      (response) => {
        const chunks = [];
        response.on('error', reject);
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()));
          else reject(new StatusError(response.statusCode));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}

let blockMs = 0;

async function act(term, action) {
  const end = term.begin();
  const { signal } = term;
  try {
    signal.throwIfAborted();
    let current = await request('GET', undefined, signal);
    for (const phase of ['start', 'end']) {
      signal.throwIfAborted();
      current = await request(
        'PUT',
        { ...current, data: { actor: identity, action: String(action), phase } },
        signal,
      );
      report(phase, { isLeader: term.isCurrent });
      await sleep(PAUSE_MS);
      const until = performance.now() + blockMs;
      if (phase === 'start' && blockMs > 0) {
        blockMs = 0;
        while (performance.now() < until);
        report('unblocked', { isLeader: term.isCurrent, isAborted: signal.aborted });
      }
    }
  } catch (error) {
    const isLeader = term.isCurrent;
    if (error instanceof StatusError && error.code === 409) {
      // A write of our own may have been applied after it was given up.
      const { data } = await request('GET').catch(() => ({ data: {} }));
      if (data?.actor !== identity) report('conflict', { isLeader });
    } else if (isLeader) {
      console.error(error.message);
      await sleep(4 * PAUSE_MS);
    }
  } finally {
    end();
  }
}

const engine = new Engine({ kubeConfig, workers: 1, onError: (error) => console.error(error.message) });
const elector = new LeaderElector({
  engine,
  name: lease,
  namespace,
  identity,
  ...times,
  onError: (error) => console.error(error.message),
});

async function stop() {
  await elector.stop();
  report('stopped', { isLeader: elector.isLeader });
  await engine.close();
  process.exit(0);
}
process.on('SIGTERM', stop);
createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, value] = line.split(' ');
  if (command === 'stop') void stop();
  if (command === 'block') blockMs = Number(value);
});

elector.start();
report('ready', { isLeader: false });
let action = 0;
for await (const term of elector.terms()) {
  report('leading', { isLeader: term.isCurrent });
  while (term.isCurrent) await act(term, action++);
  report('lost', { isLeader: false });
}
