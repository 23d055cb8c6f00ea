import { describe, expect, it } from 'vitest';
import { isExempt, proxyOf } from '#dist/src/auth/proxy.js';

const PROXY = 'http://proxy:3128';

describe('proxyOf', () => {
  it.each([
    ['https://a', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://a', { https_proxy: PROXY }, PROXY],
    ['https://a', { HTTPS_PROXY: 'socks5://p' }, 'socks5://p'],
    ['https://a', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['https://a', { HTTPS_PROXY: '' }, undefined],
    ['https://a', { HTTP_PROXY: PROXY, ALL_PROXY: PROXY }, undefined],
    ['http://a', { HTTP_PROXY: PROXY }, PROXY],
    ['http://a', { HTTPS_PROXY: PROXY }, undefined],
    ['http://a', { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' }, undefined],
    ['http://a', { http_proxy: PROXY, REQUEST_METHOD: 'GET' }, PROXY],
    ['https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://127.1.2.3', { HTTPS_PROXY: PROXY }, undefined],
    ['https://[::1]', { HTTPS_PROXY: PROXY }, undefined],
    ['https://a.b', { HTTPS_PROXY: PROXY, NO_PROXY: 'b' }, undefined],
    ['https://a.b', { HTTPS_PROXY: PROXY, no_proxy: 'b:443' }, undefined],
    ['https://a.b:6443', { HTTPS_PROXY: PROXY, NO_PROXY: 'b:443' }, PROXY],
  ])('for %s and %j returns %s', (server, environment, expected) => {
    expect(proxyOf(server, undefined, environment)).toBe(expected);
  });

  it('prefers the proxy of the connection to the environment', () => {
    expect(proxyOf('https://localhost', 'http://own', { HTTPS_PROXY: PROXY, NO_PROXY: '*' })).toBe(
      'http://own',
    );
    expect(proxyOf('https://a', '', { HTTPS_PROXY: PROXY })).toBeUndefined();
  });

  it('rejects an invalid variable without quoting it', () => {
    expect(() => proxyOf('https://a', undefined, { HTTPS_PROXY: 'ftp://user:secret@a' })).toThrow(
      'HTTPS_PROXY must be a URL with one of the schemes http, https, socks5, socks5h',
    );
  });
});

it.each([
  ['*', 'a', true],
  ['a.b', 'a.b', true],
  ['a.b', 'x.a.b', true],
  ['a.b', 'xa.b', false],
  ['.a.b', 'x.a.b', true],
  ['.a.b', 'a.b', false],
  ['*.a.b', 'x.a.b', true],
  ['*.a.b', 'a.b', false],
  ['A.B', 'x.a.b', true],
  [' x , a.b ', 'a.b', true],
  ['', 'a', false],
  [',', 'a', false],
  ['a:443', 'a', true],
  ['a:80', 'a', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.0.0.0/99', '10.1.2.3', false],
  ['10.0.0.1:443', '10.0.0.1', true],
  ['fd00::/16', 'fd00:1::2', true],
  ['fd00::1', 'fd00:0:0::1', true],
  ['[fd00::1]:443', 'fd00::1', true],
  ['[fd00::1]:80', 'fd00::1', false],
  ['0.1', '10.0.0.1', false],
  ['10.0.0.0/8', 'a.b', false],
])('isExempt for NO_PROXY=%s and the host %s on port 443 is %s', (noProxy, host, expected) => {
  expect(isExempt(noProxy, host, '443')).toBe(expected);
});
