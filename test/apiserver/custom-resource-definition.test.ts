import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#dist/apiserver/control/kube-object.js';
import { encodeJson } from '#dist/apiserver/json.js';
import { applyDefaults } from '#dist/apiserver/objects/defaults.js';
import { orderTyped } from '#dist/apiserver/objects/field-order.js';
import { prepareForUpdate } from '#dist/apiserver/objects/strategies.js';
import { decodeTyped } from '#dist/apiserver/objects/typed-decoding.js';
import { validateObject } from '#dist/apiserver/objects/validation.js';
import { BUILT_IN_RESOURCES } from '#dist/apiserver/resources/built-in-resources.js';
import { resourcesOf } from '#dist/apiserver/resources/custom-resource-definition.js';
import {
  establish,
  initialStatus,
  isEstablished,
  terminating,
} from '#dist/apiserver/resources/definition-status.js';

const resource = BUILT_IN_RESOURCES.find(({ kind }) => kind === 'CustomResourceDefinition')!;
const defaultDefinition = (crd: KubeObject): KubeObject => applyDefaults(resource, crd);

const NOW = '2026-11-17T16:47:34Z';
const OBJECT = { openAPIV3Schema: { type: 'object' } };

const widget: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.kubeflect.dev' },
  spec: {
    group: 'kubeflect.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        unknown: 1,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 0 }],
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: {
                properties: { size: { minimum: 0, type: 'integer' }, color: { type: 'string' } },
                type: 'object',
              },
            },
            type: 'object',
          },
        },
      },
    ],
  },
};

function definition(more: Record<string, unknown>, name = 'ks.t.dev'): KubeObject {
  const spec = {
    group: 't.dev',
    scope: 'Namespaced',
    names: { plural: 'ks', kind: 'K' },
    versions: [{ name: 'v1', served: true, storage: true, schema: OBJECT }],
    ...more,
  };
  return defaultDefinition({ metadata: { name }, spec });
}

const version = (name: string, storage: boolean, more = {}): Record<string, unknown> => ({
  name,
  served: true,
  storage,
  schema: OBJECT,
  ...more,
});

/** As the server prepares it before it checks it. */
const validateDefinition = (crd: KubeObject) =>
  validateObject(resource, { ...crd, status: initialStatus(crd) });
const validateDefinitionUpdate = (crd: KubeObject, old: KubeObject) =>
  validateObject(
    resource,
    prepareForUpdate(resource, crd, old, { clusterIP: () => '', nodePort: () => 0 }),
    old,
  );

describe('CustomResourceDefinitions', () => {
  test('get their defaults, with fields in wire order', () => {
    const decoded = decodeTyped(resource, widget).object;
    expect(encodeJson(orderTyped(resource, defaultDefinition(decoded))['spec'])).toBe(
      '{"group":"kubeflect.dev","names":{"plural":"widgets","singular":"widget","shortNames":["wd"],"kind":"Widget","listKind":"WidgetList","categories":["all"]},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"color":{"type":"string"},"size":{"type":"integer","minimum":0}}}}}},"subresources":{"status":{}},"additionalPrinterColumns":[{"name":"Color","type":"string","jsonPath":".spec.color"}],"selectableFields":[{"jsonPath":".spec.color"}]}],"conversion":{"strategy":"None"}}',
    );
    expect(encodeJson(initialStatus(widget))).toBe(
      '{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}',
    );
  });

  test('declare a resource', () => {
    const [resource] = resourcesOf(defaultDefinition(widget));
    expect(resource).toMatchObject({
      group: 'kubeflect.dev',
      version: 'v1',
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
      categories: ['all'],
      isNamespaced: true,
      isCustom: true,
      hasStatus: true,
      subresources: [],
      selectableFields: { 'spec.color': 'spec.color' },
      allowsUnconditionalUpdate: false,
      hasGeneration: true,
      deprecationWarning: undefined,
      columns: [
        {
          name: 'Color',
          type: 'string',
          jsonPath: '.spec.color',
          description: 'Custom resource definition column (in JSONPath format): .spec.color',
          priority: 0,
        },
      ],
    });
    expect(resource?.schema).toMatchObject({ type: 'object' });
  });

  test('declare one resource for each served version', () => {
    const resources = resourcesOf(
      definition({
        scope: 'Cluster',
        versions: [
          version('v1', true, { subresources: { status: {}, scale: {} } }),
          version('v1beta1', false, { deprecated: true }),
          version('v1alpha1', false, { served: false }),
        ],
      }),
    );
    expect(resources.map((each) => each.version)).toEqual(['v1', 'v1beta1']);
    expect(resources[0]).toMatchObject({ isNamespaced: false, hasStatus: true, subresources: ['scale'] });
    expect(resources[0]?.columns).toMatchObject([
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ]);
    expect(resources[1]).toMatchObject({
      hasStatus: false,
      deprecationWarning: 't.dev/v1beta1 K is deprecated',
    });
  });
});

describe('the status of a CustomResourceDefinition', () => {
  test('is established when its names are free', () => {
    const crd = defaultDefinition(widget);
    expect(isEstablished(crd)).toBe(false);
    const status = establish(crd, NOW);
    expect(encodeJson(status)).toBe(
      `{"conditions":[{"type":"NamesAccepted","status":"True","lastTransitionTime":"${NOW}","reason":"NoConflicts","message":"no conflicts found"},{"type":"Established","status":"True","lastTransitionTime":"${NOW}","reason":"InitialNamesAccepted","message":"the initial names have been accepted"}],"acceptedNames":{"plural":"widgets","singular":"widget","shortNames":["wd"],"kind":"Widget","listKind":"WidgetList","categories":["all"]},"storedVersions":["v1"]}`,
    );
    expect(isEstablished({ ...crd, status })).toBe(true);
  });

  test('keeps times and gains stored versions when it is established again', () => {
    const first = { ...definition({}), status: establish(definition({}), NOW) };
    const changed = {
      ...definition({ versions: [version('v1', false), version('v2', true)] }),
      status: first.status,
    };
    const again = establish(changed, '2027-01-01T00:00:00Z', [first]);
    expect(again.conditions).toEqual(first.status.conditions);
    expect(again.storedVersions).toEqual(['v1', 'v2']);
  });

  test.each([
    [
      { plural: 'ls', kind: 'K' },
      'ListKindConflict',
      '"KList" is already in use',
      { plural: 'ls', kind: '' },
    ],
    [
      { plural: 'ms', kind: 'M', shortNames: ['kk', 'ks', 'zz'] },
      'ShortNamesConflict',
      '["kk" is already in use, "ks" is already in use]',
      { plural: 'ms', singular: 'm', kind: 'M', listKind: 'MList' },
    ],
    [
      { plural: 'ns', singular: 'k', kind: 'N' },
      'SingularConflict',
      '"k" is already in use',
      { plural: 'ns', kind: 'N', listKind: 'NList' },
    ],
  ])(
    'does not accept %s that another definition of the group has',
    (names, reason, message, acceptedNames) => {
      const taken = definition({ names: { plural: 'ks', kind: 'K', shortNames: ['kk'] } });
      const other = { ...taken, status: establish(taken, NOW) };
      expect(establish(definition({ names }, `${names.plural}.t.dev`), NOW, [other])).toMatchObject({
        conditions: [
          { type: 'NamesAccepted', status: 'False', reason, message },
          {
            type: 'Established',
            status: 'False',
            reason: 'NotAccepted',
            message: 'not all names are accepted',
          },
        ],
        acceptedNames,
        storedVersions: ['v1'],
      });
      const elsewhere = definition({ names, group: 'u.dev' }, `${names.plural}.u.dev`);
      expect(establish(elsewhere, NOW, [other]).conditions?.[0]?.status).toBe('True');
    },
  );

  test('has the Terminating condition after the first DELETE', () => {
    const crd = { ...definition({}), status: establish(definition({}), NOW) };
    const { metadata, status } = terminating(crd, '2026-11-17T16:47:36Z');
    expect(metadata).toMatchObject({
      deletionTimestamp: '2026-11-17T16:47:36Z',
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    });
    expect(status).toMatchObject({
      conditions: [
        {},
        {},
        {
          type: 'Terminating',
          status: 'True',
          lastTransitionTime: '2026-11-17T16:47:36Z',
          reason: 'InstanceDeletionPending',
        },
      ],
    });
  });
});

const INTERNAL =
  '"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}';

describe('validation of CustomResourceDefinitions', () => {
  // Texts of kube-apiserver 1.36.3.
  test.each<[string, KubeObject, string[]]>([
    [
      'under another name',
      definition({}, 'foo.t.dev'),
      ['metadata.name: Invalid value: "foo.t.dev": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'without a storage version',
      definition({ versions: [version('v1', false)] }),
      [
        `spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,${INTERNAL}]: must have exactly one version marked as storage version`,
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'with two storage versions',
      definition({ versions: [version('v1', true), version('v2', true)] }),
      [
        `spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,${INTERNAL},{"Name":"v2","Served":true,"Storage":true,${INTERNAL}]: must have exactly one version marked as storage version`,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
      ],
    ],
    [
      'without a schema',
      definition({ versions: [{ name: 'v1', served: true, storage: true }] }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'with a group that is no domain',
      definition({ group: 'tdev' }, 'ks.tdev'),
      ['spec.group: Invalid value: "tdev": should be a domain with at least one dot'],
    ],
    ['without a scope', definition({ scope: undefined }), ['spec.scope: Required value']],
    [
      'with an unknown scope',
      definition({ scope: 'Foo' }),
      ['spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'without a kind',
      definition({ names: { plural: 'ks' } }),
      [
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
      ],
    ],
    [
      'without a spec',
      defaultDefinition({ metadata: { name: 'x' } }),
      [
        'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
        'spec.group: Required value',
        'spec.scope: Required value',
        'spec.versions: Invalid value: null: must have exactly one version marked as storage version',
        'spec.names.plural: Required value',
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'with a schema without a type',
      definition({ versions: [version('v1', true, { schema: { openAPIV3Schema: {} } })] }),
      ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
    ],
    [
      'with a field without a type',
      definition({
        versions: [
          version('v1', true, { schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } }),
        ],
      }),
      [
        'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'with a bad column',
      definition({
        versions: [
          version('v1', true, {
            additionalPrinterColumns: [{ name: 'x', type: 'foo', jsonPath: 'spec' }],
          }),
        ],
      }),
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
      ],
    ],
    [
      'in a protected group',
      definition({ group: 'foo.k8s.io' }, 'ks.foo.k8s.io'),
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
  ])('rejects %s', (_, crd, texts) => {
    expect(validateDefinition(crd).map(({ field, message }) => `${field}: ${message}`)).toEqual(texts);
  });

  test('accepts a valid definition', () => {
    expect(validateDefinition(defaultDefinition(widget))).toEqual([]);
    expect(validateDefinition(definition({}))).toEqual([]);
  });

  test('rejects updates of immutable fields', () => {
    const old = { ...definition({}), status: establish(definition({}), NOW) };
    const fieldsOf = (more: Record<string, unknown>): (string | undefined)[] =>
      validateDefinitionUpdate(definition(more), old).map(({ field, message }) => `${field}: ${message}`);
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ scope: 'Cluster' })).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
    expect(fieldsOf({ group: 'u.dev' })).toEqual(['spec.group: Invalid value: "u.dev": field is immutable']);
    expect(fieldsOf({ versions: [version('v2', true)] })).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });
});
