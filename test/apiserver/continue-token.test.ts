import { describe, expect, test } from 'vitest';
import {
  decodeContinue,
  encodeContinue,
  LATEST_REVISION,
  startAfter,
} from '#dist/apiserver/requests/continue-token.js';
import { StatusError } from '#dist/apiserver/status-error.js';

const V = '"v":"meta.k8s.io/v1"';

const tokenOf = (text: string): string => Buffer.from(text).toString('base64url');

function refusalOf(token: string): string {
  try {
    decodeContinue(token);
  } catch (error) {
    if (error instanceof StatusError && error.body.reason === 'BadRequest') return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('continue tokens', () => {
  test('are encoded as the watch cache encodes them', () => {
    expect(encodeContinue({ revision: 440, start: startAfter('c1') })).toBe(
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NDQwLCJzdGFydCI6Ii9jMVx1MDAwMCJ9',
    );
  });

  test('are encoded as storage encodes them', () => {
    expect(encodeContinue({ revision: LATEST_REVISION, start: startAfter('c1') }, 'storage')).toBe(
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYzFcdTAwMDAifQ',
    );
  });

  test('are decoded with and without the leading slash', () => {
    const token = { revision: 366, start: 'x1/c0\0' };
    expect(decodeContinue(encodeContinue(token))).toEqual(token);
    expect(decodeContinue(encodeContinue(token, 'storage'))).toEqual(token);
  });

  test('may have field names in another case, line breaks, unknown fields and an empty start', () => {
    expect(decodeContinue(tokenOf('{"V":"meta.k8s.io/v1","RV":-1,"Start":"c1","x":[]}'))).toEqual({
      revision: -1,
      start: 'c1',
    });
    expect(decodeContinue(`${tokenOf(`{${V},"rv":5,"start":"/"}`)}\n`)).toEqual({ revision: 5, start: '' });
  });
});

describe('invalid continue tokens are rejected', () => {
  // Token and message as seen on kube-apiserver 1.36.3.
  test.each([
    ['!!!', 'illegal base64 data at input byte 0'],
    ['abc=', 'illegal base64 data at input byte 3'],
    ['a', 'illegal base64 data at input byte 0'],
    ['eyJ2Ijp9*x', 'illegal base64 data at input byte 8'],
    ['YQ==', 'illegal base64 data at input byte 2'],
    ['abc', "invalid character 'i' looking for beginning of value"],
    ['aGVsbG8', "invalid character 'h' looking for beginning of value"],
    ['eyJ2', 'unexpected end of JSON input'],
    [tokenOf('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [tokenOf('5'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [tokenOf('true'), 'json: cannot unmarshal bool into Go value of type storage.continueToken'],
    [tokenOf('null'), 'server does not recognize this encoded version '],
    [tokenOf('{}'), 'server does not recognize this encoded version '],
    [
      tokenOf('{"v":"meta.k8s.io/v9","rv":5,"start":"x"}'),
      'server does not recognize this encoded version meta.k8s.io/v9',
    ],
    [tokenOf('{"v":1}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [
      tokenOf('{"v":{"a":1}}'),
      'json: cannot unmarshal object into Go struct field continueToken.v of type string',
    ],
    [
      tokenOf(`{${V},"rv":"5"}`),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      tokenOf(`{${V},"rv":5.5}`),
      'json: cannot unmarshal number 5.5 into Go struct field continueToken.rv of type int64',
    ],
    [
      tokenOf(`{${V},"rv":99999999999999999999}`),
      'json: cannot unmarshal number 99999999999999999999 into Go struct field continueToken.rv of type int64',
    ],
    [tokenOf(`{${V}}`), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [tokenOf(`{${V},"rv":5}`), 'encoded start key empty (version meta.k8s.io/v1)'],
    [tokenOf(`{${V},"rv":5,"start":"../x"}`), '../x'],
    [tokenOf(`{${V},"rv":5,"start":"/../a"}`), '/../a'],
    [tokenOf(`{${V},"rv":5,"start":"a//b"}`), 'a//b'],
    [tokenOf(`{${V},"rv":5,"start":"a/"}`), 'a/'],
    [tokenOf(`{${V},"rv":5,"start":"./a"}`), './a'],
  ])('as %s', (token, why) => {
    expect(refusalOf(token)).toBe(`invalid continue token: continue key is not valid: ${why}`);
  });
});
