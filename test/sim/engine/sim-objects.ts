import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Live } from '../history.js';

const NAMESPACE = 'sim';

/** Fields that libraries stumble over, as JSON, so that `__proto__` is a key. */
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

/** The same ones are asked for again and again. */
const known = new Map<string, KubernetesObject>();
const MOST_KNOWN = 5000;

/** The state of an object, which is a function of its name, uid and version. As a server has it, and as the cache is to have it. */
export function objectOf(live: Live): KubernetesObject {
  const id = `${live.name} ${live.uid} ${live.resourceVersion}`;
  const object = known.get(id) ?? newObject(live);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(id, object);
  return object;
}

function newObject({ name, uid, resourceVersion }: Live): KubernetesObject {
  const chance = digits(name) * 7 + digits(resourceVersion);
  const data = DATA[chance % DATA.length] ?? '{}';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name, uid, resourceVersion, labels: { app: name } },
    // Another life may be on another node.
    spec: { nodeName: nodeOf({ name, uid, resourceVersion }) },
    data: JSON.parse(data),
    ...(name.startsWith(LARGE) && { padding: PADDING }),
  } as KubernetesObject;
}

export function nodeOf({ uid, resourceVersion }: Live): string {
  return `node-${(digits(uid) + (digits(resourceVersion) >> 2)) % 3}`;
}

/** The wire form: what the worker drops is still there, and items of typed lists do not say what they are. */
export function jsonOf(live: Live, isItem: boolean): string {
  const { apiVersion, kind, metadata, ...rest } = objectOf(live);
  const managedFields = [{ manager: 'sim', fieldsV1: { 'f:data': {} } }];
  const type = isItem ? {} : { apiVersion, kind };
  return JSON.stringify({ ...type, metadata: { ...metadata, managedFields }, ...rest });
}

/** The same object as one that can be recognised, but not read. */
export function unreadableJsonOf(live: Live, isItem: boolean, chance: number): string {
  const json = jsonOf(live, isItem);
  // Deeper than may be, or no JSON behind the metadata.
  if (chance < 0.5) return `${json.slice(0, -1)},"deep":${'['.repeat(40)}${']'.repeat(40)}}`;
  return `${json.slice(0, -1)},"broken":tru}`;
}

/** Without a name that could be read. */
export const NAMELESS_JSON = '{"metadata":{"name":7},"spec":nul}';

function digits(text: string): number {
  return Number(text.replace(/\D/g, '').slice(-6));
}
