import { expect, it } from 'vitest';
import { generatedName } from '#dist/apiserver/objects/generate-name.js';

it('a generated name is the prefix and five characters of a small alphabet', () => {
  expect(generatedName('web-', () => 0)).toBe('web-bbbbb');
  expect(generatedName('web-', () => 0.999_999)).toBe('web-99999');
  expect(generatedName('web-', Math.random)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

it('a generated name truncates long prefixes to 58 characters', () => {
  expect(generatedName('g'.repeat(70), () => 0)).toBe(`${'g'.repeat(58)}bbbbb`);
});
