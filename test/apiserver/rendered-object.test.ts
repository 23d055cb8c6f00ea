import { describe, expect, it } from 'vitest';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { RenderedObject } from '#dist/apiserver/storage/rendered-object.js';

describe('RenderedObject', () => {
  it.each(['Pod', 'Node'])('returns name and namespace of a %s as selectable fields', (kind) => {
    const object = new RenderedObject(new RenderedSet(resolvePopulateSpec({ kind, count: 10 }), 1), 7, 8, 0);
    const { metadata } = object.parse();
    expect(object.field('metadata.name')).toBe(metadata?.name);
    expect(object.field('metadata.namespace')).toBe(metadata?.namespace ?? '');
  });
});
