// Writes test/fixtures/golden-objects.json.gz: objects of the built-in kinds with every field set, in JSON and in
// protobuf, from the test data that Kubernetes ships with its modules (Apache-2.0).
// Run by hand when the Kubernetes version changes:
//   node scripts/collect-golden-objects.mjs ~/go/pkg/mod/k8s.io 0.36.3

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [modules, version] = process.argv.slice(2);
const FOLDERS = {
  [join(modules, `api@v${version}`, 'testdata/HEAD')]: [
    ...[
      'Pod',
      'Node',
      'Namespace',
      'Service',
      'Endpoints',
      'ConfigMap',
      'Secret',
      'Event',
      'ServiceAccount',
    ].map((kind) => `core.v1.${kind}`),
    ...['apps.v1.Deployment', 'apps.v1.ReplicaSet', 'batch.v1.Job', 'coordination.k8s.io.v1.Lease'],
    ...['discovery.k8s.io.v1.EndpointSlice', 'events.k8s.io.v1.Event'],
  ],
  [join(modules, `apiextensions-apiserver@v${version}`, 'pkg/apis/testdata/HEAD')]: [
    'apiextensions.k8s.io.v1.CustomResourceDefinition',
  ],
};

// Integers beyond 2^53 are in there: the JSON stays text.
const objects = Object.entries(FOLDERS).flatMap(([folder, names]) =>
  names.map((name) => ({
    name,
    protobuf: readFileSync(join(folder, `${name}.pb`)).toString('base64'),
    json: readFileSync(join(folder, `${name}.json`), 'utf8').replace(/\n */g, ''),
  })),
);
const file = new URL('../test/fixtures/golden-objects.json.gz', import.meta.url);
writeFileSync(file, gzipSync(JSON.stringify(objects), { level: 9 }));
