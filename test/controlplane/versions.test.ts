import { describe, expect, it } from 'vitest';
import { renderGoModule } from './go-module.js';
import {
  DEFAULT_VERSION,
  KUBERNETES_VERSIONS,
  minorOf,
  neighbourOf,
  parseVersion,
  selectedVersion,
  UnknownVersionError,
  VERSION_VARIABLE,
  versionsOfSuites,
} from './versions.js';

describe('Kubernetes versions of the end-to-end tests', () => {
  it('are one patch version of each minor version, in ascending order', () => {
    const minors = KUBERNETES_VERSIONS.map((version) => Number(minorOf(version).slice('1.'.length)));
    expect(minors).toEqual(Array.from(minors, (_, index) => (minors[0] ?? 0) + index));
  });

  it.each(['1.33', '1.33.13', 'v1.33.13'])('are found by names such as %s', (name) => {
    expect(parseVersion(name)).toBe('1.33.13');
  });

  it.each(['1.31', '1.33.12', '1', 'newest', ''])('do not include %j', (name) => {
    expect(() => parseVersion(name)).toThrow(UnknownVersionError);
    expect(() => parseVersion(name)).toThrow(
      `unknown Kubernetes version ${JSON.stringify(name)}; expected one of 1.32, 1.33, 1.34, 1.35, 1.36, 1.37`,
    );
  });

  it('have a neighbour for a pair of API servers', () => {
    expect(neighbourOf('1.37.1')).toBe('1.36.3');
    expect(neighbourOf('1.32.13')).toBe('1.33.13');
    expect(versionsOfSuites('1.37.1')).toEqual(['1.37.1', '1.36.3']);
  });

  it('are selected by an environment variable', () => {
    expect(selectedVersion({})).toBe(DEFAULT_VERSION);
    expect(selectedVersion({ [VERSION_VARIABLE]: '' })).toBe(DEFAULT_VERSION);
    expect(selectedVersion({ [VERSION_VARIABLE]: '1.34' })).toBe('1.34.4');
    expect(() => selectedVersion({ [VERSION_VARIABLE]: '1.20' })).toThrow(UnknownVersionError);
  });
});

describe('renderGoModule', () => {
  const kubernetes = [
    'module k8s.io/kubernetes',
    'go 1.23.0',
    'godebug default=go1.23',
    'godebug winsymlink=0',
    'require (',
    '\tgithub.com/kylelemons/godebug v1.1.0 // indirect',
    '\tgo.etcd.io/etcd/client/v3 v3.5.16',
    '\tk8s.io/api v0.0.0',
    '\tk8s.io/klog/v2 v2.130.1',
    ')',
    'replace (',
    '\tk8s.io/api => ./staging/src/k8s.io/api',
    '\tk8s.io/kubectl => ./staging/src/k8s.io/kubectl',
    ')',
  ].join('\n');

  it('requires Kubernetes and its etcd, and replaces the staging modules by those of the same release', () => {
    expect(renderGoModule('1.32.13', kubernetes).split('\n').slice(1)).toEqual([
      'module kubeflect.dev/test/controlplane/1.32',
      'go 1.23.0',
      'godebug default=go1.23',
      'godebug winsymlink=0',
      'require k8s.io/kubernetes v1.32.13',
      'require go.etcd.io/etcd/server/v3 v3.5.16',
      'replace (',
      '\tk8s.io/api => k8s.io/api v0.32.13',
      '\tk8s.io/kubectl => k8s.io/kubectl v0.32.13',
      ')',
      '',
    ]);
  });

  it.each([
    ['a version of etcd', 'go.etcd.io'],
    ['a Go version', 'go 1.23.0'],
    ['staging module', 'staging'],
  ])('fails on a go.mod without %s', (what, needle) => {
    expect(() => renderGoModule('1.32.13', kubernetes.replaceAll(needle, 'x'))).toThrow(what);
  });
});
