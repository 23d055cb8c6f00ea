import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { typedKinds } from '#dist/apiserver/generators/kind-profile.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';

export interface RealDocument {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly json: string;
}

/** Objects of every generator of `kubeflect/testing`, a custom resource among them. */
export function generatedDocuments(count: number): RealDocument[] {
  const kinds = [...typedKinds().map((kind) => ({ kind })), { kind: 'Widget', apiVersion: 'example.com/v1' }];
  return kinds.flatMap((type) => {
    const set = new RenderedSet(resolvePopulateSpec({ ...type, seed: 7, count }), 1);
    return Array.from({ length: count }, (_, i) =>
      realDocument(type.kind, set.objectBytes(i, i + 1, 0).toString()),
    );
  });
}

/** Objects with every field of their kind set, as Go writes them: see scripts/collect-golden-objects.ts. */
export function goldenDocuments(): RealDocument[] {
  const file = new URL(
    /* from dist-test too */ '../fixtures/golden-objects.json.gz',
    rootOf(import.meta.url),
  );
  const objects = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { name: string; json: string }[];
  return objects.map(({ name, json }) => realDocument(name, json));
}

function realDocument(name: string, json: string): RealDocument {
  const { apiVersion, kind } = JSON.parse(json) as { apiVersion: string; kind: string };
  return { name, apiVersion, kind, json };
}

function rootOf(address: string): string {
  return address.replace('/dist-test/', '/');
}
