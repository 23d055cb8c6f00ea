import { describe, expect, it } from 'vitest';
import { applyPatch, parsePatch, undecodablePatch } from '#dist/apiserver/patches/patch.js';
import type { StatusError } from '#dist/apiserver/status-error.js';

const resource = { group: '', kind: 'ConfigMap' };
const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' }, data: { a: '1' } };

function refusal(type: 'merge' | 'json' | 'strategic', text: string): Pick<StatusError, 'code' | 'message'> {
  try {
    applyPatch({ resource, type, object, patch: parsePatch(Buffer.from(text)) });
  } catch (error) {
    const { code, message } = error as StatusError;
    return { code, message };
  }
  throw new Error('no refusal');
}

describe('a patch request', () => {
  // Every message below was seen on kube-apiserver 1.37.1.
  it.each([
    [
      'json',
      '[1]',
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      'json',
      '{}',
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'json',
      '[{"op":1}]',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    ['json', 'nope', 'invalid JSON patch'],
    ['json', '', 'invalid JSON patch'],
    ['merge', 'null', 'Invalid JSON Patch'],
    [
      'merge',
      '[]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['merge', '{nope', 'invalid JSON patch'],
    ['strategic', '5', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
    ['strategic', '{"data":null}x', 'invalid JSON patch'],
  ] as const)('%s %j is a bad request', (type, text, message) => {
    expect(refusal(type, text)).toEqual({ code: 400, message });
  });

  it('does not report why it cannot be applied', () => {
    expect(refusal('json', '[{"op":"remove","path":"/data/zzz"}]')).toEqual({
      code: 422,
      message: 'the server rejected our request due to an error in our request',
    });
  });

  it('may have 10000 operations and no more', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }));
    expect(refusal('json', JSON.stringify(operations))).toEqual({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
    expect(applyPatch({ resource, type: 'json', object, patch: operations.slice(1) })).toEqual(object);
  });

  it('changes nothing if it is null, unless it is a merge patch', () => {
    expect(applyPatch({ resource, type: 'json', object, patch: null })).toEqual(object);
    expect(applyPatch({ resource, type: 'strategic', object, patch: null })).toEqual(object);
  });

  it('reports a result that cannot be decoded', () => {
    expect(undecodablePatch('{"data":[1]}', 'json: cannot unmarshal array').body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: ' "" is invalid: patch: Invalid value: "{\\"data\\":[1]}": json: cannot unmarshal array',
      reason: 'Invalid',
      details: {
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: "{\\"data\\":[1]}": json: cannot unmarshal array',
            field: 'patch',
          },
        ],
      },
      code: 422,
    });
  });
});
