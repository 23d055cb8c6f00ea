/**
 * Writes apiserver/schemas/go-structs.ts from the Go declarations of the built-in kinds. Run by hand when the
 * Kubernetes version changes:
 *
 *   npm run build && node dist-scripts/generate-go-structs.js ~/go/pkg/mod/k8s.io 0.37.2
 *   npx biome format --write apiserver/schemas
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Field {
  readonly json: string;
  readonly isInline: boolean;
  readonly omitsEmpty: boolean;
  readonly omitsZero: boolean;
  /** With every name made absolute: see resolve(). */
  readonly type: string;
  readonly merging: Merging;
  readonly mergeKey: string;
  readonly merges: boolean;
  readonly replaces: boolean;
  readonly retainsKeys: boolean;
}

/** How server-side apply merges a field, from the markers in its comment. */
interface Merging {
  readonly listType?: string | undefined;
  readonly listKeys: readonly string[];
  readonly mapType?: string | undefined;
  readonly isAtomic: boolean;
}

interface Struct {
  readonly isAtomic: boolean;
  readonly fields: Field[];
}

const NO_MARKERS: Merging = { listKeys: [], isAtomic: false };

const [modules, version] = process.argv.slice(2);
if (modules === undefined || version === undefined)
  throw new Error('usage: generate-go-structs.js <folder of k8s.io modules> <version>');
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
  schedulingv1alpha3: join(api, 'scheduling/v1alpha3/types.go'),
  meta: join(modules, `apimachinery@v${version}/pkg/apis/meta/v1/types.go`),
  apiextensions: join(modules, `apiextensions-apiserver@v${version}/pkg/apis/apiextensions/v1/types.go`),
};
const JSON_SCHEMA = PACKAGES.apiextensions.replace('types.go', 'types_jsonschema.go');
const IMPORTS: Readonly<Record<string, string>> = { v1: 'core', corev1: 'core', metav1: 'meta' };
const ROOTS = [
  ...['Pod', 'Node', 'Namespace', 'Service', 'Endpoints', 'ConfigMap', 'Secret', 'Event', 'ServiceAccount'],
  ...['apps.Deployment', 'apps.ReplicaSet', 'batch.Job', 'coordination.Lease', 'discovery.EndpointSlice'],
  ...['events.Event', 'apiextensions.CustomResourceDefinition', 'meta.DeleteOptions', 'autoscaling.Scale'],
];
const SCALARS: Readonly<Record<string, string>> = {
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

const structs = new Map<string, Struct>();
const named = new Map<string, string>();

for (const [name, file] of Object.entries(PACKAGES)) parsePackage(name, readFileSync(file, 'utf8'));
parsePackage('apiextensions', readFileSync(JSON_SCHEMA, 'utf8'));
// Each is a schema, or a shorthand for one.
for (const suffix of ['Array', 'Bool', 'StringArray']) {
  structs.delete(`apiextensions.JSONSchemaPropsOr${suffix}`);
  named.set(`apiextensions.JSONSchemaPropsOr${suffix}`, 'apiextensions.JSONSchemaProps');
}

const written = new Map<string, string>();
for (const root of ROOTS) write(root);

replaceTable('go-structs.ts', 'GO_STRUCTS', written);

/** Replaces the table, and keeps the comment above it, which describes how to read it. */
function replaceTable(file: string, constant: string, rows: ReadonlyMap<string, string>): void {
  const url = new URL(`../apiserver/schemas/${file}`, import.meta.url);
  const lines = [...rows].map(([name, fields]) => `  ${/\./.test(name) ? `'${name}'` : name}: '${fields}',`);
  const [head] = readFileSync(url, 'utf8').split('export const');
  const type = 'Readonly<Record<string, string>>';
  writeFileSync(url, `${head}export const ${constant}: ${type} = {\n${lines.join('\n')}\n};\n`);
}

function parsePackage(packageName: string, source: string): void {
  let comments: string[] = [];
  let struct: Struct | undefined;
  for (const line of source.split('\n')) {
    const content = line.trim();
    const [, name, , type] = /^type (\w+) (=\s*)?(.+?)( \{)?$/.exec(line) ?? [];
    if (content.startsWith('//')) comments.push(content);
    else if (name !== undefined && type !== undefined) {
      if (type.startsWith('struct')) {
        struct = { isAtomic: comments.some((comment) => /\+structType=atomic/.test(comment)), fields: [] };
        structs.set(qualify(name, packageName), struct);
        if (line.endsWith('{}')) struct = undefined;
      } else named.set(qualify(name, packageName), resolve(type, packageName));
      comments = [];
    } else if (line === '}' || line === ')') {
      struct = undefined;
      comments = [];
    } else if (struct !== undefined && content !== '') {
      const field = parseField(content, comments, packageName);
      if (field !== undefined) struct.fields.push(field);
      comments = [];
    }
  }
}

function parseField(line: string, comments: readonly string[], packageName: string): Field | undefined {
  const [, type, tags] = /^(?:\w+\s+)?([^\s`]+)\s+`(.*)`/.exec(line) ?? [];
  if (type === undefined || tags === undefined) return undefined;
  const [json = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
  const strategies = (/patchStrategy:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
  return {
    json,
    isInline: options.includes('inline') || json === '',
    omitsEmpty: options.includes('omitempty'),
    omitsZero: options.includes('omitzero'),
    type: resolve(type, packageName),
    merging: {
      listType: markersOf(comments, 'listType')[0],
      listKeys: markersOf(comments, 'listMapKey'),
      mapType: markersOf(comments, 'mapType')[0],
      isAtomic: markersOf(comments, 'structType').includes('atomic'),
    },
    mergeKey: /patchMergeKey:"([^"]*)"/.exec(tags)?.[1] ?? '',
    merges: strategies.includes('merge'),
    replaces: strategies.includes('replace'),
    retainsKeys: strategies.includes('retainKeys'),
  };
}

/** The values of `+name=value` in comments. */
function markersOf(comments: readonly string[], name: string): string[] {
  const marker = new RegExp(`\\+${name}=(\\S+)`);
  return comments.flatMap((comment) => marker.exec(comment)?.[1] ?? []);
}

function qualify(name: string, packageName: string): string {
  return packageName === 'core' ? name : `${packageName}.${name}`;
}

/** A Go type as written in a package, with every name made absolute. */
function resolve(type: string, packageName: string): string {
  if (type.startsWith('*')) return `*${resolve(type.slice(1), packageName)}`;
  if (type.startsWith('[]')) return `[]${resolve(type.slice(2), packageName)}`;
  const element = /^map\[[\w.]+\](.*)$/.exec(type)?.[1];
  if (element !== undefined) return `map:${resolve(element, packageName)}`;
  const [first = '', second] = type.split('.');
  if (second === undefined) return type in SCALARS || type === 'byte' ? type : qualify(type, packageName);
  const imported = IMPORTS[first];
  return imported === undefined ? type : qualify(second, imported);
}

function write(name: string): void {
  if (written.has(name)) return;
  written.set(name, '');
  written.set(name, fieldsOf(name).map(token).join(' '));
}

function structOf(name: string): Struct {
  const struct = structs.get(name);
  if (struct === undefined) throw new Error(`no struct ${name}`);
  return struct;
}

function fieldsOf(name: string): Field[] {
  return structOf(name).fields.flatMap((field) => (field.isInline ? inlined(field) : [field]));
}

function inlined(field: Field): Field[] {
  const name = field.type.replace(/^\*/, '');
  return name === 'meta.TypeMeta' ? [] : fieldsOf(name);
}

function token(field: Field): string {
  const isPointer = field.type.startsWith('*');
  const shape = shapeOf(field.type.replace(/^\*/, ''), field.merging);
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

function shapeOf(type: string, merging: Merging): string {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return `:${scalar}`;
  if (type === '[]byte') return ':y';
  if (type.startsWith('[]')) {
    const { listType, listKeys } = merging;
    const keys = listType === 'map' ? listKeys.join(',') : listType === 'set' ? '=' : '';
    return `[${keys}]${elementOf(type.slice(2))}`;
  }
  if (type.startsWith('map:'))
    return `{${merging.mapType === 'atomic' ? '!' : ''}}${elementOf(type.slice(4))}`;
  const alias = named.get(type);
  if (alias !== undefined) return shapeOf(alias, merging);
  write(type);
  return `:${type}${merging.isAtomic || structOf(type).isAtomic ? '!' : ''}`;
}

function elementOf(type: string): string {
  const shape = shapeOf(type.replace(/^\*/, ''), NO_MARKERS);
  return shape === ':s' ? '' : shape.replace(/^:/, '');
}
