// Runs engines with secrets of every kind into faults of every kind, and prints everything that a program can observe.
// `node canary-client.mjs <plan.json>`; test/auth/canaries.slow.test.ts writes the plan, and reads the result file.
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { folder, ca, apiServer, hostile, proxies, pairs } = plan;
const echo = `${hostile}/echo`;

const CHANNELS = [
  'error',
  'informer:start',
  'informer:synced',
  'informer:replaced',
  'informer:reset',
  'informer:stop',
  'credentials:refreshed',
  'connection:insecure',
  'worker:lost',
  'reflector:report',
];

const INSPECT_ALL = {
  depth: Number.POSITIVE_INFINITY,
  showHidden: true,
  getters: true,
  maxArrayLength: null,
};

function print(label, value) {
  process.stdout.write(`${label}: ${inspect(value, INSPECT_ALL)}\n`);
  process.stdout.write(`${label} as JSON: ${JSON.stringify(value)}\n`);
  for (let error = value; error instanceof Error; error = error.cause)
    process.stdout.write(`${error.stack}\n`);
}

for (const name of CHANNELS) subscribe(`kubeflect:${name}`, (message) => print(name, message));
process.on('warning', (warning) => print('warning', warning));

const unused = [...plan.canaries];
const nextSecret = () => unused.pop() ?? 'all-canaries-are-used';

const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const SECRETS = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };
const FAST_RETRIES = { advanced: { reflector: { periodMs: 1, minReconnectIntervalMs: 1 } } };

/** Failures that last are reported once, but counted each time. */
function errorsOf({ metrics }) {
  const counters = metrics.text().matchAll(/^kubeflect_(?:informer|engine)_errors_total{.*} (\d+)$/gm);
  return [...counters].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Runs informers until `isEnough` errors were counted, and prints everything that the engine exposes. */
async function run(options, { kinds = [PODS], isEnough = (errors) => errors >= 2 } = {}) {
  const onError = (error) => print('onError', error);
  let engine;
  try {
    engine = new Engine({ workers: 0, onError, ...options });
  } catch (error) {
    print('rejected', error);
    return;
  }
  const informers = kinds.map((kind) => engine.informer({ ...kind, ...FAST_RETRIES }));
  for (const informer of informers) {
    informer.synced.catch((error) => print('synced', error));
    informer.start();
  }
  while (!isEnough(errorsOf(engine))) await sleep(1);
  for (const informer of informers) print('health', informer.health());
  print('engine', engine);
  print('stats', engine.stats());
  process.stdout.write(engine.metrics.text());
  await engine.close();
}

const MANY_ERRORS = { isEnough: (errors) => errors >= 15 };

const tls = { ca };
const write = (name, text) => {
  writeFileSync(`${folder}/${name}`, text);
  return `${folder}/${name}`;
};

// Tokens and other headers: rejected by a server that quotes them, by one that does not, or cut off.
const headers = () => ({
  authorization: `Bearer ${nextSecret()}`,
  'x-api-key': nextSecret(),
  'x-more': [nextSecret(), nextSecret()],
});
await run({ connection: { server: apiServer, tls, headers } }, MANY_ERRORS);
await run({ connection: { server: echo, headers } }, MANY_ERRORS);
await run({ connection: { server: apiServer, tls, headers }, workers: 1 }, MANY_ERRORS);
await run({ connection: { server: 'https://127.0.0.1:1', tls, headers } });
await run({ connection: { server: apiServer, headers } });
await run({ connection: { server: apiServer, tls: { insecureSkipVerify: true }, headers } });
await run({ connection: { server: `https://user:${nextSecret()}@127.0.0.1:1`, headers } });
await run({
  connection: { server: apiServer, tls, headers: () => ({ authorization: `Bearer ${nextSecret()}\n` }) },
});
await run({
  connection: {
    server: apiServer,
    tls,
    headers: () => Promise.reject(Object.assign(new Error(nextSecret()), { [nextSecret()]: nextSecret() })),
  },
});
for (let i = 0; i < 20; i++) {
  const basic = Buffer.from(`user:${nextSecret()}`).toString('base64');
  await run({ connection: { server: echo, headers: { authorization: `Basic ${basic}` } } });
}

// Files.
await run({ connection: { server: echo, tokenFile: write('token', `${nextSecret()}\n`) } });
await run({
  connection: { server: apiServer, tls, tokenFile: write('lines', `${nextSecret()}\n${nextSecret()}`) },
});
for (const { certificate, privateKey } of pairs) {
  const files = { certFile: write('client.crt', certificate), keyFile: write('client.key', privateKey) };
  await run({ connection: { server: apiServer, tls: { ca, ...files } } });
  await run({ connection: { server: apiServer, tls: { ca, cert: pairs[0].certificate, key: privateKey } } });
}
await run({
  connection: {
    server: apiServer,
    tls: { caFile: write('ca', `-----BEGIN CERTIFICATE-----\n${nextSecret()}\n-----END CERTIFICATE-----`) },
  },
});
await run({ connection: { server: apiServer, tls: { ca, cert: nextSecret(), key: nextSecret() } } });
await run({
  connection: {
    server: apiServer,
    tls: {
      ca,
      cert: pairs[0].certificate,
      key: `-----BEGIN PRIVATE KEY-----\n${nextSecret()}\n-----END PRIVATE KEY-----`,
    },
  },
});

// Exec plugins that fail, print too much, or return credentials that are rejected.
for (const mode of ['fail', 'nonsense', 'answer']) {
  const env = [{ name: 'SECRET', value: nextSecret() }];
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: [plan.plugin, folder, mode, nextSecret()],
    env,
  };
  await run({ connection: { server: echo, exec } });
  await run({ connection: { server: echo, exec: { ...exec, command: 'kubeflect-no-such-plugin' } } });
  await run({ connection: { server: echo, exec }, execPlugins: 'deny' });
}

// Proxies.
for (const url of proxies) {
  const through = new URL(url);
  through.password = nextSecret();
  await run({ connection: { server: apiServer, tls, headers, proxyUrl: through.href } });
}
await run({ connection: { server: apiServer, tls, headers, proxyUrl: `ftp://user:${nextSecret()}@a` } });
process.env.HTTPS_PROXY = `gopher://user:${nextSecret()}@proxy`;
await run({ connection: { server: 'https://kube.test', tls, headers } });
delete process.env.HTTPS_PROXY;

// Authentication by client-node.
const kubeConfigOf = (user) => {
  const kubeConfig = new KubeConfig();
  const cluster = {
    name: 'c',
    server: apiServer,
    caData: Buffer.from(ca).toString('base64'),
    skipTLSVerify: false,
  };
  kubeConfig.loadFromClusterAndUser(cluster, { name: 'u', ...user });
  return kubeConfig;
};
await run({ kubeConfig: kubeConfigOf({ token: nextSecret() }) });
await run({ kubeConfig: kubeConfigOf({ username: 'jane', password: nextSecret() }) });
const jwt = ['{}', JSON.stringify({ exp: 1, secret: nextSecret() }), nextSecret()].map((part) =>
  Buffer.from(part).toString('base64url'),
);
const oidc = {
  'id-token': jwt.join('.'),
  'refresh-token': nextSecret(),
  'client-id': 'id',
  'client-secret': nextSecret(),
};
await run({
  kubeConfig: kubeConfigOf({
    authProvider: {
      name: 'oidc',
      config: { ...oidc, 'idp-issuer-url': `http://127.0.0.1:1/${nextSecret()}` },
    },
  }),
});
const failing = kubeConfigOf({});
failing.addAuthenticator({
  isAuthProvider: () => true,
  applyAuthentication: () =>
    Promise.reject(Object.assign(new TypeError(nextSecret()), { token: nextSecret() })),
});
await run({ kubeConfig: failing });

// Objects from a server that corrupts its responses.
for (const mode of plan.modes) {
  await run({ connection: { server: `${hostile}/${mode}`, headers } }, { kinds: [SECRETS] });
}

// The remaining secrets, 50 per request.
await run(
  {
    connection: {
      server: echo,
      headers: () => Object.fromEntries(unused.splice(-50).map((secret, i) => [`x-${i}`, secret])),
    },
  },
  { isEnough: () => unused.length === 0 },
);

writeFileSync(plan.result, JSON.stringify({ unused: unused.length }));
