// Writes apiserver/schemas/go-structs.ts from the Go declarations of the built-in kinds.
// Run by hand when the Kubernetes version changes:
//   node scripts/generate-go-structs.mjs ~/go/pkg/mod/k8s.io 0.36.3 && npx biome format --write apiserver/schemas

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, version] = process.argv.slice(2);
const api = join(modules, `api@v${version}`);

// Names of core/v1 stand alone, those of other packages carry the package as kube-apiserver's imports call it.
const PACKAGES = {
  core: join(api, 'core/v1/types.go'),
  apps: join(api, 'apps/v1/types.go'),
  autoscaling: join(api, 'autoscaling/v1/types.go'),
  batch: join(api, 'batch/v1/types.go'),
  coordination: join(api, 'coordination/v1/types.go'),
  discovery: join(api, 'discovery/v1/types.go'),
  events: join(api, 'events/v1/types.go'),
  meta: join(modules, `apimachinery@v${version}/pkg/apis/meta/v1/types.go`),
  apiextensions: join(modules, `apiextensions-apiserver@v${version}/pkg/apis/apiextensions/v1/types.go`),
};
const JSON_SCHEMA = PACKAGES.apiextensions.replace('types.go', 'types_jsonschema.go');
const IMPORTS = { v1: 'core', corev1: 'core', metav1: 'meta' };
const ROOTS = [
  ...['Pod', 'Node', 'Namespace', 'Service', 'Endpoints', 'ConfigMap', 'Secret', 'Event', 'ServiceAccount'],
  ...['apps.Deployment', 'apps.ReplicaSet', 'batch.Job', 'coordination.Lease', 'discovery.EndpointSlice'],
  ...['events.Event', 'apiextensions.CustomResourceDefinition', 'meta.DeleteOptions', 'autoscaling.Scale'],
];
const SCALARS = {
  string: 's',
  bool: 'b',
  int: 'l',
  int32: 'i',
  int64: 'l',
  'types.UID': 's',
  'types.NodeName': 's',
  'resource.Quantity': 'q',
  'intstr.IntOrString': 'x',
  'meta.Time': 't',
  'meta.MicroTime': 'm',
  'meta.FieldsV1': 'r',
  float64: 'f',
  'apiextensions.JSON': 'r',
};

const structs = new Map();
const named = new Map();

for (const [name, file] of Object.entries(PACKAGES)) parsePackage(name, readFileSync(file, 'utf8'));
parsePackage('apiextensions', readFileSync(JSON_SCHEMA, 'utf8'));
// A schema, or something short that stands for one.
for (const suffix of ['Array', 'Bool', 'StringArray']) {
  structs.delete(`apiextensions.JSONSchemaPropsOr${suffix}`);
  named.set(`apiextensions.JSONSchemaPropsOr${suffix}`, 'apiextensions.JSONSchemaProps');
}

const written = new Map();
for (const root of ROOTS) write(root);

replaceTable('go-structs.ts', 'GO_STRUCTS', written);

/** Keeps what stands above the table: the comment that says how to read it. */
function replaceTable(file, constant, rows) {
  const url = new URL(`../apiserver/schemas/${file}`, import.meta.url);
  const lines = [...rows].map(([name, fields]) => `  ${/\./.test(name) ? `'${name}'` : name}: '${fields}',`);
  const [head] = readFileSync(url, 'utf8').split('export const');
  const type = 'Readonly<Record<string, string>>';
  writeFileSync(url, `${head}export const ${constant}: ${type} = {\n${lines.join('\n')}\n};\n`);
}

function parsePackage(packageName, source) {
  let comments = [];
  let struct;
  for (const line of source.split('\n')) {
    const text = line.trim();
    const declared = /^type (\w+) (=\s*)?(.+?)( \{)?$/.exec(line);
    if (text.startsWith('//')) comments.push(text);
    else if (declared !== null) {
      if (declared[3].startsWith('struct')) {
        struct = { isAtomic: comments.some((comment) => /\+structType=atomic/.test(comment)), fields: [] };
        structs.set(qualify(declared[1], packageName), struct);
        if (line.endsWith('{}')) struct = undefined;
      } else named.set(qualify(declared[1], packageName), resolve(declared[3], packageName));
      comments = [];
    } else if (line === '}' || line === ')') {
      struct = undefined;
      comments = [];
    } else if (struct !== undefined && text !== '') {
      const field = parseField(text, comments, packageName);
      if (field !== undefined) struct.fields.push(field);
      comments = [];
    }
  }
}

function parseField(text, comments, packageName) {
  const match = /^(?:(\w+)\s+)?([^\s`]+)\s+`(.*)`/.exec(text);
  if (match === null) return undefined;
  const [, , type, tags] = match;
  const [json, ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
  const marker = (name) => comments.map((comment) => new RegExp(`\\+${name}=(\\S+)`).exec(comment)?.[1]);
  const strategies = (/patchStrategy:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
  return {
    json,
    isInline: options.includes('inline') || json === '',
    omitsEmpty: options.includes('omitempty'),
    omitsZero: options.includes('omitzero'),
    type: resolve(type, packageName),
    listType: marker('listType').find(Boolean),
    listKeys: marker('listMapKey').filter(Boolean),
    mapType: marker('mapType').find(Boolean),
    isAtomic: marker('structType').includes('atomic'),
    mergeKey: /patchMergeKey:"([^"]*)"/.exec(tags)?.[1] ?? '',
    merges: strategies.includes('merge'),
    replaces: strategies.includes('replace'),
    retainsKeys: strategies.includes('retainKeys'),
  };
}

function qualify(name, packageName) {
  return packageName === 'core' ? name : `${packageName}.${name}`;
}

/** A Go type as written in a package, with every name made absolute. */
function resolve(type, packageName) {
  if (type.startsWith('*')) return `*${resolve(type.slice(1), packageName)}`;
  if (type.startsWith('[]')) return `[]${resolve(type.slice(2), packageName)}`;
  const map = /^map\[[\w.]+\](.*)$/.exec(type);
  if (map !== null) return `map:${resolve(map[1], packageName)}`;
  const [first, second] = type.split('.');
  if (second === undefined) return type in SCALARS || type === 'byte' ? type : qualify(type, packageName);
  return first in IMPORTS ? qualify(second, IMPORTS[first]) : type;
}

function write(name) {
  if (written.has(name)) return;
  written.set(name, '');
  const fields = fieldsOf(name);
  written.set(name, fields.map(token).join(' '));
}

function fieldsOf(name) {
  const struct = structs.get(name);
  if (struct === undefined) throw new Error(`no struct ${name}`);
  return struct.fields.flatMap((field) => (field.isInline ? inlined(field) : [field]));
}

function inlined(field) {
  const name = field.type.replace(/^\*/, '');
  return name === 'meta.TypeMeta' ? [] : fieldsOf(name);
}

function token(field) {
  const isPointer = field.type.startsWith('*');
  const shape = shapeOf(field.type.replace(/^\*/, ''), field);
  // Times, quantities and int-or-strings are structs to Go too: `omitempty` does not leave them out.
  const isStruct = /^:([tmqx]|[A-Za-z.0-9]{2,}!?)$/.test(shape) && !isPointer;
  const isOptional = field.omitsZero || (field.omitsEmpty && !isStruct);
  const keys = field.merges || field.retainsKeys || field.replaces ? '~' : '';
  const strategy =
    keys +
    (field.merges ? field.mergeKey || '+' : '') +
    (field.retainsKeys ? '$' : '') +
    (field.replaces ? '-' : '');
  return `${field.json}${isOptional ? '?' : ''}${isPointer ? '*' : ''}${shape === ':s' ? '' : shape}${strategy}`;
}

function shapeOf(type, field) {
  if (type in SCALARS) return `:${SCALARS[type]}`;
  if (type === '[]byte') return ':y';
  if (type.startsWith('[]')) {
    const keys = field.listType === 'map' ? field.listKeys.join(',') : field.listType === 'set' ? '=' : '';
    return `[${keys}]${elementOf(type.slice(2))}`;
  }
  if (type.startsWith('map:')) return `{${field.mapType === 'atomic' ? '!' : ''}}${elementOf(type.slice(4))}`;
  if (named.has(type)) return shapeOf(named.get(type), field);
  write(type);
  return `:${type}${field.isAtomic || structs.get(type).isAtomic ? '!' : ''}`;
}

function elementOf(type) {
  const shape = shapeOf(type.replace(/^\*/, ''), {});
  return shape === ':s' ? '' : shape.replace(/^:/, '');
}
