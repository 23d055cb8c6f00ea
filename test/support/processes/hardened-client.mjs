// `node [flags] hardened-client.mjs <server> <workers>`: caches the config maps of a server, prints them, and whether
// any prototype was changed.
import { Engine } from 'kubeflect';

const [, , server, workers] = process.argv;
const PROTOTYPES = [Object, Array, Function, String, Number, Map, Promise, Uint8Array].map(
  ({ prototype }) => prototype,
);
const prototypeKeys = () =>
  JSON.stringify(PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).map(String)));

const before = prototypeKeys();
const errors = [];
const engine = new Engine({
  connection: { server, headers: {} },
  workers: Number(workers),
  onError: ({ code, message, cause }) => errors.push(`${code} ${message} ${cause?.stack ?? ''}`),
});
const informer = engine.informer({ apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' });
informer.start();
const timer = setTimeout(() => {
  console.log(JSON.stringify({ errors }));
  process.exit(1);
}, 15_000);
await informer.synced;
clearTimeout(timer);
const objects = Object.fromEntries(
  informer.lister.entries().map(({ key, object }) => [key, JSON.stringify(object.data)]),
);
await engine.close();
console.log(JSON.stringify({ objects, isUntouched: before === prototypeKeys(), errors }));
