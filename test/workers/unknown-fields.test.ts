import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StreamTask } from '#dist/src/wire/stream-task.js';
import { entry, envelope, integer, nested, PROTOBUF } from '../support/objects/protobuf.js';
import { StreamRun } from '../support/workers/stream-run.js';

const UNKNOWN = nested(99, 'x');

const metadata = (name: string, ...more: readonly Buffer[]): Buffer =>
  nested(1, nested(1, name), nested(3, 'ns'), nested(5, 'u'), nested(6, '7'), ...more);
const pod = (name: string, ...spec: readonly Buffer[]): Buffer[] => [
  metadata(name),
  nested(2, ...spec),
  nested(3),
];
const item = (name: string, ...spec: readonly Buffer[]): Buffer => nested(2, ...pod(name, ...spec));
const list = (...parts: readonly Buffer[]): Buffer => envelope('v1', 'PodList', ...parts);
const listMeta = (...more: readonly Buffer[]): Buffer => nested(1, nested(2, '9'), ...more);

const framed = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const event = (type: string, object: Buffer, ...more: readonly Buffer[]): Buffer =>
  framed(Buffer.concat([nested(1, type), nested(2, nested(1, object)), ...more]));
const added = (name: string, ...spec: readonly Buffer[]): Buffer =>
  event('ADDED', envelope('v1', 'Pod', ...pod(name, ...spec)));
const bookmark = (...more: readonly Buffer[]): Buffer =>
  event('BOOKMARK', envelope('v1', 'Pod', nested(1, nested(6, '9'), ...more)));
const status = (...more: readonly Buffer[]): Buffer =>
  envelope('v1', 'Status', nested(1), nested(2, 'Failure'), nested(3, 'old'), integer(6, 410), ...more);

const at = (path: string, message: string): object => ({ number: 99, message, path });

interface Response {
  readonly verb: 'list' | 'watch';
  readonly code?: number;
  readonly body: Buffer;
}

/** One unknown field each. The objects before it are a and b, those after it c. */
const RESPONSES: readonly (readonly [string, Response, object])[] = [
  [
    'an item',
    { verb: 'list', body: list(listMeta(), item('a'), item('b'), item('c', UNKNOWN), item('d')) },
    at('spec', 'core.v1.PodSpec'),
  ],
  [
    'a message in a list of an item',
    {
      verb: 'list',
      body: list(listMeta(), item('a'), item('b'), item('c', nested(2, nested(1, 'n'), UNKNOWN))),
    },
    at('spec.containers[]', 'core.v1.Container'),
  ],
  [
    'a message in a map of an item, whose keys are data',
    {
      verb: 'list',
      body: list(
        listMeta(),
        item('a'),
        item('b'),
        item('c', nested(2, nested(8, entry(1, 'secret', Buffer.concat([nested(1, '1'), UNKNOWN]))))),
      ),
    },
    at('spec.containers[].resources.limits[]', 'quantity'),
  ],
  [
    'the metadata of a list',
    { verb: 'list', body: list(item('a'), item('b'), listMeta(UNKNOWN)) },
    at('metadata', 'meta.v1.ListMeta'),
  ],
  ['a list', { verb: 'list', body: list(listMeta(), item('a'), item('b'), UNKNOWN) }, at('', 'List')],
  [
    'the envelope of a list',
    { verb: 'list', body: Buffer.concat([list(listMeta(), item('a'), item('b')), UNKNOWN]) },
    at('', 'Unknown'),
  ],
  [
    'an object of a watch',
    { verb: 'watch', body: Buffer.concat([added('a'), added('b'), added('c', UNKNOWN), added('d')]) },
    at('spec', 'core.v1.PodSpec'),
  ],
  [
    'the event around an object',
    {
      verb: 'watch',
      body: Buffer.concat([
        added('a'),
        added('b'),
        event('ADDED', envelope('v1', 'Pod', ...pod('c')), UNKNOWN),
      ]),
    },
    at('', 'WatchEvent'),
  ],
  [
    'a bookmark',
    { verb: 'watch', body: Buffer.concat([added('a'), added('b'), bookmark(UNKNOWN)]) },
    at('metadata', 'meta.v1.ObjectMeta'),
  ],
  [
    'an error of a watch',
    { verb: 'watch', body: Buffer.concat([added('a'), added('b'), event('ERROR', status(UNKNOWN))]) },
    at('', 'meta.v1.Status'),
  ],
];

async function run(
  { verb, code = 200, body }: Response,
  options: Pick<StreamTask, 'onUnknownField'> & { decoder: 'simd' | 'json'; form?: 'object' | 'metadata' },
): Promise<StreamRun> {
  const server = createServer((_, response) => {
    const type = `${PROTOBUF}${verb === 'watch' && code === 200 ? ';stream=watch' : ''}`;
    response.writeHead(code, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { decoder, form = 'object', onUnknownField } = options;
  const stream = new StreamRun({
    verb,
    path: '/api/v1/pods',
    connection: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decoding: { kind: 'Pod', decoder, form },
    encodings: ['protobuf', 'json'],
    ...(onUnknownField && { onUnknownField }),
  });
  await stream.ended;
  return stream;
}

const namesOf = (stream: StreamRun): string[] => stream.objects.map(({ key }) => key.slice(3));

describe.each(['simd', 'json'] as const)('a stream of protobuf, with the %s decoder', (decoder) => {
  it.each(RESPONSES)(
    'fails at an unknown field of %s, before the object that has it',
    async (_, response, field) => {
      const stream = await run(response, { decoder, onUnknownField: 'fail' });
      expect(stream.error).toEqual({ type: 'unknown-field', field });
      expect(stream.messages).toContainEqual({ type: 'unknown-fields', count: 1, first: field });
      // Of a list, what was read is useless; of a watch, it is delivered.
      if (response.verb === 'watch') expect(namesOf(stream)).toEqual(['a', 'b']);
      else expect(namesOf(stream)).not.toContain('c');
      expect(stream.types.at(-1)).toBe('failed');
    },
  );

  it.each(RESPONSES)('counts an unknown field of %s if it is not to fail', async (_, response, field) => {
    const stream = await run(response, { decoder });
    expect(stream.error).toBeUndefined();
    expect(stream.messages.filter(({ type }) => type === 'unknown-fields')).toEqual([
      { type: 'unknown-fields', count: 1, first: field },
    ]);
    expect(namesOf(stream).slice(0, 2)).toEqual(['a', 'b']);
  });

  it('counts all unknown fields, and tells where the first is', async () => {
    const items = Array.from({ length: 50 }, (_, i) => item(`p${i}`, UNKNOWN, nested(98, 'y')));
    const stream = await run({ verb: 'list', body: list(listMeta(), ...items) }, { decoder });
    const reports = stream.messages.filter((message) => message.type === 'unknown-fields');
    expect(reports.reduce((total, { count }) => total + count, 0)).toBe(100);
    expect(reports.map(({ first }) => first)[0]).toEqual(at('spec', 'core.v1.PodSpec'));
    expect(reports.slice(1).every(({ first }) => first === undefined)).toBe(true);
    expect(stream.objects).toHaveLength(50);
  });

  it('fails at an unknown field of an error response', async () => {
    const response: Response = { verb: 'list', code: 410, body: status(UNKNOWN) };
    const failed = await run(response, { decoder, onUnknownField: 'fail' });
    expect(failed.error).toEqual({ type: 'unknown-field', field: at('', 'meta.v1.Status') });
    const counted = await run(response, { decoder });
    expect(counted.error).toMatchObject({ type: 'status', status: { code: 410, message: 'old' } });
    expect(counted.types).toEqual(['unknown-fields', 'failed']);
  });

  it('takes nothing but the metadata of an object of another kind, whose other fields are not unknown', async () => {
    const secret = event('ADDED', envelope('v1', 'Secret', metadata('s'), entry(2, 'k', 'v')));
    const stream = await run(
      { verb: 'watch', body: Buffer.concat([added('a'), secret, added('b')]) },
      { decoder, onUnknownField: 'fail' },
    );
    expect(stream.error).toBeUndefined();
    expect(namesOf(stream)).toEqual(['a', 'b']);
    expect(stream.rows).toContainEqual(expect.objectContaining({ type: 'rejected', key: 'ns/s' }));
  });

  it('fails at an unknown field of partial metadata', async () => {
    const partial = (name: string, ...more: readonly Buffer[]): Buffer =>
      event('ADDED', envelope('meta.k8s.io/v1', 'PartialObjectMetadata', metadata(name, ...more)));
    const stream = await run(
      { verb: 'watch', body: Buffer.concat([partial('a'), partial('b', UNKNOWN)]) },
      { decoder, form: 'metadata', onUnknownField: 'fail' },
    );
    expect(stream.error).toEqual({ type: 'unknown-field', field: at('metadata', 'meta.v1.ObjectMeta') });
    expect(namesOf(stream)).toEqual(['a']);
  });
});
