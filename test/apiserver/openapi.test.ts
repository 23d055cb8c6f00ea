import { describe, expect, test } from 'vitest';
import { openApiDocument } from '#dist/apiserver/discovery/openapi.js';
import { resourcesOf } from '#dist/apiserver/resources/custom-resource-definition.js';
import { ResourceRegistry } from '#dist/apiserver/resources/resource-registry.js';

const registry = new ResourceRegistry();
registry.addCustom(
  resourcesOf({
    metadata: { name: 'widgets.kubeflect.dev' },
    spec: {
      group: 'kubeflect.dev',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', description: 'What is wanted.' } },
            },
          },
        },
      ],
    },
  }),
);

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, unknown> };
  'x-kubernetes-group-version-kind': unknown;
}

interface Body {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

const bodyOf = (path: string): Body => openApiDocument(registry.all(), path)!.body as Body;

describe('the OpenAPI root', () => {
  const { body, contentType } = openApiDocument(registry.all(), '/openapi/v3')!;
  const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> };

  test('lists one document per group and version', () => {
    expect(contentType).toBe('text/plain; charset=utf-8');
    expect(Object.keys(paths)).toEqual([
      'api/v1',
      'apis/apiextensions.k8s.io/v1',
      'apis/apps/v1',
      'apis/batch/v1',
      'apis/coordination.k8s.io/v1',
      'apis/discovery.k8s.io/v1',
      'apis/kubeflect.dev/v1',
    ]);
  });

  test('has the ETag of each document as its hash', () => {
    const document = openApiDocument(registry.all(), '/openapi/v3/apis/apps/v1')!;
    expect(document.contentType).toBe('application/json');
    expect(paths['apis/apps/v1']?.serverRelativeURL).toBe(
      `/openapi/v3/apis/apps/v1?hash=${document.etag!.replaceAll('"', '')}`,
    );
  });
});

describe('an OpenAPI document', () => {
  // kubectl's create and apply look for exactly this before they ask the server to validate.
  test('has fieldValidation on every PATCH, and no strategic merge', () => {
    const patches = Object.values(bodyOf('/openapi/v3/api/v1').paths).flatMap(({ patch }) => patch ?? []);
    expect(patches.length).toBeGreaterThan(8);
    for (const { parameters, requestBody } of patches) {
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'fieldValidation', in: 'query' }));
      expect(Object.keys(requestBody!.content)).not.toContain('application/strategic-merge-patch+json');
    }
  });

  test('leads from path to kind to schema, as kubectl explain needs it', () => {
    const { paths, components } = bodyOf('/openapi/v3/apis/apps/v1');
    const kind = { group: 'apps', kind: 'Deployment', version: 'v1' };
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments';
    expect(paths[path]?.['get']?.['x-kubernetes-group-version-kind']).toEqual(kind);
    expect(Object.keys(paths)).toContain(`${path}/{name}/status`);
    expect(components.schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      type: 'object',
      'x-kubernetes-group-version-kind': [kind],
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  test('has the schema of a custom resource', () => {
    const { schemas } = bodyOf('/openapi/v3/apis/kubeflect.dev/v1').components;
    expect(schemas['dev.kubeflect.v1.Widget']).toMatchObject({
      type: 'object',
      properties: { spec: { description: 'What is wanted.' }, metadata: {}, kind: {}, apiVersion: {} },
      'x-kubernetes-group-version-kind': [{ group: 'kubeflect.dev', kind: 'Widget', version: 'v1' }],
    });
    expect(schemas['dev.kubeflect.v1.Widget']).not.toHaveProperty('x-kubernetes-preserve-unknown-fields');
    expect(schemas).toHaveProperty(['dev.kubeflect.v1.WidgetList']);
  });

  test('has no dangling references', () => {
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/kubeflect.dev/v1']) {
      const body = bodyOf(`/openapi/v3/${path}`);
      const references = JSON.stringify(body).match(/#\/components\/schemas\/[^"]+/g) ?? [];
      expect(references.length).toBeGreaterThan(0);
      for (const reference of references) {
        expect(body.components.schemas).toHaveProperty([reference.slice('#/components/schemas/'.length)]);
      }
    }
  });

  test.each(['/openapi/v3/', '/openapi/v3/apis/nope/v1', '/openapi/v2'])('does not exist at %s', (path) => {
    expect(openApiDocument(registry.all(), path)).toBeUndefined();
  });
});
