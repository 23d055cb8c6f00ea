import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { protobufMessageOfKind } from '../../src/kube/protobuf-schema/protobuf-kind.js';
import { protobufMessage, protobufMessageNames } from '../../src/kube/protobuf-schema/protobuf-message.js';
import { PROTOBUF_VERSION } from '../../src/kube/protobuf-schema/table.js';
import { DEFAULT_VERSION } from '../controlplane/versions.js';

describe('Protobuf schema', () => {
  it('is that of the release that the generator was given', () => {
    const file = readFileSync(new URL('../../scripts/protobuf-schema/go.mod', import.meta.url), 'utf8');
    const [, version] = /k8s\.io\/api v0\.(\S+)/.exec(file) ?? [];
    expect(version).toMatch(/^\d+\.\d+$/);
    expect(PROTOBUF_VERSION).toBe(`1.${version}`);
  });

  it("is as new as the tests' control plane", () => {
    const minor = (release: string): number => Number(release.split('.')[1]);
    expect(minor(PROTOBUF_VERSION)).toBeGreaterThanOrEqual(minor(DEFAULT_VERSION));
  });

  it('keeps the kinds and fields that were removed since older releases, as optional ones', () => {
    expect(protobufMessageOfKind('resource.k8s.io/v1alpha3', 'ResourceClaim')).toBe(
      'resource.v1alpha3.ResourceClaim',
    );
    const field = (message: string, name: string): unknown =>
      protobufMessage(message).fields.find((candidate) => candidate.name === name);
    expect(field('core.v1.PodSpec', 'workloadRef')).toMatchObject({ number: 42, isOmittedWhenEmpty: true });
    expect(field('core.v1.NodeAllocatableResourceClaimStatus', 'resources')).toMatchObject({
      number: 3,
      isOmittedWhenEmpty: true,
    });
  });

  it('has every message that a field refers to, and no number twice in one', () => {
    for (const name of protobufMessageNames()) {
      const { fields } = protobufMessage(name);
      expect(new Set(fields.map(({ number }) => number)).size, name).toBe(fields.length);
      for (const { message } of fields) if (message !== undefined) protobufMessage(message);
    }
  });

  it('knows the messages of built-in kinds, of their lists and of errors, and none for other kinds', () => {
    expect(protobufMessageOfKind('v1', 'Pod')).toBe('core.v1.Pod');
    expect(protobufMessageOfKind('rbac.authorization.k8s.io/v1', 'RoleList')).toBe('rbac.v1.RoleList');
    expect(protobufMessageOfKind('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion')).toBe(
      'apiserverinternal.v1alpha1.StorageVersion',
    );
    expect(protobufMessageOfKind('v1', 'Status')).toBe('meta.v1.Status');
    expect(protobufMessageOfKind('meta.k8s.io/v1', 'PartialObjectMetadataList')).toBe(
      'meta.v1.PartialObjectMetadataList',
    );
    expect(protobufMessageOfKind('meta.k8s.io/v1', 'Table')).toBeUndefined();
    expect(protobufMessageOfKind('example.com/v1', 'Widget')).toBeUndefined();
  });

  it('describes the type of a field, and when JSON omits it', () => {
    const { fields } = protobufMessage('core.v1.Volume');
    expect(fields).toEqual([
      {
        number: 1,
        name: 'name',
        container: 'one',
        type: 'string',
        message: undefined,
        isPointer: false,
        isOmittedWhenEmpty: false,
        isInlined: false,
      },
      {
        number: 2,
        name: '',
        container: 'one',
        type: 'message',
        message: 'core.v1.VolumeSource',
        isPointer: false,
        isOmittedWhenEmpty: false,
        isInlined: true,
      },
    ]);
    const field = (message: string, name: string): unknown =>
      protobufMessage(message).fields.find((candidate) => candidate.name === name);
    expect(field('meta.v1.ObjectMeta', 'creationTimestamp')).toMatchObject({
      type: 'time',
      isPointer: false,
      isOmittedWhenEmpty: true,
    });
    expect(field('meta.v1.ObjectMeta', 'labels')).toMatchObject({ container: 'map', type: 'string' });
    expect(field('core.v1.Pod', 'spec')).toMatchObject({
      message: 'core.v1.PodSpec',
      isOmittedWhenEmpty: false,
    });
    expect(field('core.v1.PodSpec', 'securityContext')).toMatchObject({ isPointer: true, number: 14 });
  });
});
