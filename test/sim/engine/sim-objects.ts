import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Live } from '../history.js';

const NAMESPACE = 'sim';

/** Fields that are hard to decode, as JSON, so that `__proto__` is a key. */
const DATA: readonly string[] = [
  '{}',
  '{"plain":"text"}',
  '{"__proto__":"own"}',
  '{"__proto__":{"polluted":true},"constructor":"a","toJSON":"b"}',
  '{"wide":"é€😀é€😀é€😀","":"empty key"}',
  '{"ends":"}]},{\\"\\\\ \\n","then":"x","length":"3","10":"a","9":"b"}',
  '{"nested":[[],{},[{"a":[null,true,-0.5,1e21]}]],"long":"0123456789abcdef0123456789abcdef0123456789abcdef"}',
];

/** Objects of this name are large. */
export const LARGE = 'large';
const PADDING = 'padding '.repeat(150);

/** The same objects are requested repeatedly. */
const cache = new Map<string, KubernetesObject>();
const MAX_CACHED = 5000;

/** The state of an object, a function of its name, uid and version, as the server and the cache must have it. */
export function objectOf(live: Live): KubernetesObject {
  const id = `${live.name} ${live.uid} ${live.resourceVersion} ${live.era ?? 0}`;
  const object = cache.get(id) ?? newObject(live);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(id, object);
  return object;
}

function newObject({ name, uid, resourceVersion, era }: Live): KubernetesObject {
  const choice = digits(name) * 7 + digits(resourceVersion);
  const data = DATA[choice % DATA.length] ?? '{}';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name, uid, resourceVersion, labels: { app: name } },
    // A recreated object may be on another node.
    spec: { nodeName: nodeOf({ name, uid, resourceVersion }) },
    data: JSON.parse(data),
    ...(era !== undefined && { era }),
    ...(name.startsWith(LARGE) && { padding: PADDING }),
  } as KubernetesObject;
}

export function nodeOf({ uid, resourceVersion }: Live): string {
  return `node-${(digits(uid) + (digits(resourceVersion) >> 2)) % 3}`;
}

/** The JSON that the server sends: with the fields that workers drop, and without the type in items of typed lists. */
export function jsonOf(live: Live, isItem: boolean): string {
  const { apiVersion, kind, metadata, ...rest } = objectOf(live);
  const managedFields = [{ manager: 'sim', fieldsV1: { 'f:data': {} } }];
  const type = isItem ? {} : { apiVersion, kind };
  return JSON.stringify({ ...type, metadata: { ...metadata, managedFields }, ...rest });
}

/** The object with readable metadata, but otherwise unreadable. */
export function unreadableJsonOf(live: Live, isItem: boolean, random: number): string {
  const json = jsonOf(live, isItem);
  // Nested too deeply, or no JSON after the metadata.
  if (random < 0.5) return `${json.slice(0, -1)},"deep":${'['.repeat(40)}${']'.repeat(40)}}`;
  return `${json.slice(0, -1)},"broken":tru}`;
}

/** An unreadable object without a readable name. */
export const NAMELESS_JSON = '{"metadata":{"name":7},"spec":nul}';

function digits(value: string): number {
  return Number(value.replace(/\D/g, '').slice(-6));
}
