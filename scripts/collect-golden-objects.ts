/**
 * Writes test/fixtures/golden-objects.json.gz: objects of the built-in kinds with every field set, in JSON and in
 * protobuf, from the test data that Kubernetes ships with its modules (Apache-2.0). Run by hand when the Kubernetes
 * version changes:
 *
 *   npm run build && node dist-scripts/collect-golden-objects.js ~/go/pkg/mod/k8s.io 0.37.2
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [modules, version] = process.argv.slice(2);
if (modules === undefined || version === undefined)
  throw new Error('usage: collect-golden-objects.js <folder of k8s.io modules> <version>');

const CORE = 'Pod Node Namespace Service Endpoints ConfigMap Secret Event ServiceAccount'.split(' ');
const FOLDERS = {
  [join(modules, `api@v${version}`, 'testdata/HEAD')]: [
    ...CORE.map((kind) => `core.v1.${kind}`),
    ...['apps.v1.Deployment', 'apps.v1.ReplicaSet', 'batch.v1.Job', 'coordination.k8s.io.v1.Lease'],
    ...['discovery.k8s.io.v1.EndpointSlice', 'events.k8s.io.v1.Event'],
  ],
  [join(modules, `apiextensions-apiserver@v${version}`, 'pkg/apis/testdata/HEAD')]: [
    'apiextensions.k8s.io.v1.CustomResourceDefinition',
  ],
};

// The JSON stays a string: parsing would round its integers beyond 2^53.
const objects = Object.entries(FOLDERS).flatMap(([folder, names]) =>
  names.map((name) => ({
    name,
    protobuf: readFileSync(join(folder, `${name}.pb`)).toString('base64'),
    json: readFileSync(join(folder, `${name}.json`), 'utf8').replace(/\n */g, ''),
  })),
);
const file = new URL('../test/fixtures/golden-objects.json.gz', import.meta.url);
writeFileSync(file, gzipSync(JSON.stringify(objects), { level: 9 }));
