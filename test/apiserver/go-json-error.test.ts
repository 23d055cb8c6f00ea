import { describe, expect, test } from 'vitest';
import { goSyntaxError } from '#dist/apiserver/go-json-error.js';

describe('invalid JSON gets the error message of Go', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"v":"abc', 'unexpected end of JSON input'],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['{nope', "invalid character 'n' looking for beginning of object key string"],
    ['{"v":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"v" 1}', "invalid character '1' after object key"],
    ['{"v":1 "w":2}', `invalid character '"' after object key:value pair`],
    ['{"v":nope}', "invalid character 'o' in literal null (expecting 'u')"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"v":"a\nb"}', "invalid character '\\n' in string literal"],
    ['{"v":"\\x"}', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"v":-}', "invalid character '}' in numeric literal"],
    ['{"v":01}', "invalid character '1' after object key:value pair"],
    ['{"v":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"v":1e}', "invalid character '}' in exponent of numeric literal"],
    ["'x'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
  ])('as for %s', (text, message) => {
    expect(goSyntaxError(Buffer.from(text))).toBe(message);
  });

  test('nesting deeper than Go allows is an error', () => {
    expect(goSyntaxError(Buffer.from('['.repeat(10_001)))).toBe('exceeded max depth');
  });

  test.each([' {"a":[1,-0.5e+3,"\\u00e9",true,false,null,{}],"b":[]} \n', '"x"', '0'])(
    'is not reported for %s',
    (text) => {
      expect(goSyntaxError(Buffer.from(text))).toBeUndefined();
    },
  );
});
