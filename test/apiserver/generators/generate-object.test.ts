import { describe, expect, test } from 'vitest';
import { generateObject } from '#dist/apiserver/generators/generate-object.js';
import { typedKinds } from '#dist/apiserver/generators/kind-profile.js';

describe('generateObject', () => {
  test.each(typedKinds())('gives a plain %s, the same for the same arguments', (kind) => {
    const object = generateObject(kind, 3, 5);
    expect(object.kind).toBe(kind);
    expect(object.metadata.resourceVersion).toBe('4');
    expect(generateObject(kind, 3, 5)).toEqual(object);
    expect(generateObject(kind, 4, 5).metadata.name).not.toBe(object.metadata.name);
    expect(generateObject(kind, 3, 6).metadata.uid).not.toBe(object.metadata.uid);
  });

  test('accepts a spec for custom kinds and other sizes', () => {
    const widget = generateObject({ kind: 'Widget', apiVersion: 'example.com/v1', sizeBytes: 20_000 }, 0);
    expect(widget).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' });
    expect(JSON.stringify(widget).length).toBeGreaterThan(17_000);
  });

  test('rejects an invalid index', () => {
    expect(() => generateObject('Pod', -1)).toThrow('index must be a whole number');
    expect(() => generateObject('Pod', 0.5)).toThrow('index must be a whole number');
  });
});
