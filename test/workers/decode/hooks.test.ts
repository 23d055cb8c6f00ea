import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { Hooks, HooksModules } from '#dist/workers/decode/hooks.js';
import { JsonDecoder } from '#dist/workers/decode/json-decoder.js';
import { StreamFailure } from '#dist/workers/stream-failure.js';
import { contentOf } from '../../support/workers/cell-rows.js';

type Content = ReturnType<typeof contentOf>;

const modules = new HooksModules();
const address = (name: string): string =>
  new URL(`../../support/workers/hooks/${name}.mjs`, import.meta.url).href;

async function decoderWith(module: string, hookIndexes: readonly string[] = []) {
  const packer = new ObjectPacker();
  const decoder = new JsonDecoder({
    decoding: {
      decoder: 'json',
      apiVersion: 'v1',
      kind: 'Pod',
      form: 'object',
      drop: [],
      indexPaths: ['spec.nodeName'],
      hookIndexes,
    },
    depth: 512,
    packer,
    hooks: new Hooks(await modules.load(address(module)), hookIndexes),
  });
  const decode = (name: string, type = 'ADDED', extra: object = {}): Content => {
    const metadata = { name, namespace: 'ns', uid: 'u', resourceVersion: '3' };
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { nodeName: 'n1', tolerations: [] },
      ...extra,
    };
    return contentOf(
      decoder.decodeEvent(Buffer.from(JSON.stringify({ type, object }))),
      1 + hookIndexes.length,
    );
  };
  const read = (decoded: Content): unknown => {
    if (!('payload' in decoded)) throw new Error(JSON.stringify(decoded));
    const reader = new ObjectReader(packer.tableId);
    reader.extend(0, packer.definitions);
    return reader.read(decoded.payload, 0, decoded.payload.length);
  };
  return { decode, read };
}

describe('Hooks', () => {
  it('transforms, checks and indexes objects', async () => {
    const { decode, read } = await decoderWith('valid', ['constant', 'byNode']);
    const decoded = decode('a', 'ADDED', { spec: undefined });
    expect(decoded).toMatchObject({ header: { indexValues: [['none'], ['a', 'b'], ['none']] } });
    expect(read(decoded)).toMatchObject({ spec: { nodeName: 'none' } });
  });

  it.each([
    ['throws', 'transform threw: no transform for this one'],
    ['renamed', 'transform changed the name, namespace, uid or resourceVersion of the object'],
    ['nothing', 'transform did not return an object'],
    ['promised', 'transform returned a promise; it must be synchronous'],
    ['unpackable', 'transform returned a value that JSON cannot represent'],
    ['refused', 'check rejected the object: it returned false'],
    ['undecided', 'check rejected the object: it returned neither true nor false'],
  ])('reports the object %s by key, and decodes the next one', async (name, message) => {
    const { decode } = await decoderWith('valid');
    expect(decode(name)).toEqual({
      type: 'rejected',
      reason: 'hook',
      message,
      eventType: 'ADDED',
      key: `ns/${name}`,
      resourceVersion: '3',
    });
    expect(decode('fine')).toHaveProperty('payload');
  });

  it.each([
    ['broken', 'index broken did not return an array of strings'],
    ['throwing', 'index throwing threw: no index'],
  ])('reports the index %s', async (index, message) => {
    const { decode } = await decoderWith('valid', [index]);
    expect(decode('a')).toMatchObject({ reason: 'hook', message, key: 'ns/a' });
  });

  it('keeps the type of an object that a transform has removed', async () => {
    const { decode, read } = await decoderWith('valid');
    expect(read(decode('untyped'))).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it('does not check a deleted object', async () => {
    const { decode } = await decoderWith('valid');
    expect(decode('refused', 'DELETED')).toMatchObject({ header: { type: 'deleted', name: 'refused' } });
  });

  it('accepts a Standard Schema as check, and ignores its output', async () => {
    const { decode, read } = await decoderWith('schema');
    expect(read(decode('a'))).toMatchObject({ spec: { nodeName: 'n1' } });
    const message = 'check rejected the object: spec.nodeName: Required';
    expect(decode('a', 'ADDED', { spec: undefined })).toMatchObject({ reason: 'hook', message, key: 'ns/a' });
    expect(decode('throws')).toMatchObject({ message: 'check threw: in the validator' });
    const { message: long } = decode('all-wrong') as { message: string };
    expect(long).toMatch(/^check rejected the object: wrong 0; wrong 1; /);
    expect(long.length).toBeLessThan(600);
    expect(decode('async')).toMatchObject({
      message: 'check rejected the object: it returned a promise, but must be synchronous',
    });
  });

  it('loads a module once per address, by URL or by path', async () => {
    const url = address('valid');
    expect(modules.load(url)).toBe(modules.load(url));
    await expect(modules.load(fileURLToPath(url))).resolves.toHaveProperty('transform');
  });

  it.each([
    ['broken', 'this module has a bug'],
    ['wrong-types', 'is not a function'],
    ['absent', 'cannot be loaded'],
  ])('fails with one error if the module is %s', async (name, message) => {
    const failure = await modules.load(address(name)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StreamFailure);
    expect((failure as StreamFailure).wire).toMatchObject({
      type: 'hooks',
      message: expect.stringContaining(message),
    });
    expect(await modules.load(address(name)).catch((error: unknown) => error)).toBe(failure);
  });

  it('fails with one error if the module does not have an index', async () => {
    const module = await modules.load(address('valid'));
    expect(() => new Hooks(module, ['unknown'])).toThrow(StreamFailure);
  });
});
