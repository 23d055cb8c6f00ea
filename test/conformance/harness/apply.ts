/** Server-side apply as the cases use it: PATCH with application/apply-patch+yaml, in JSON as clients send it. */

import { expect } from 'vitest';
import type { ApiResponse, Query } from './client.js';
import type { ExpectedStatus } from './expect-status.js';
import { configMap, type KubeObject } from './objects.js';
import { APPLY_PATCH, type Sandbox } from './sandbox.js';

export type Data = Record<string, string | null>;

export function apply(ns: Sandbox, path: string, body: unknown, query: Query = {}): Promise<ApiResponse> {
  return ns.patch(path, body, { type: APPLY_PATCH, query: { fieldManager: 'me', ...query } });
}

/** Applies a ConfigMap with this data and returns the result; fails on an error response. */
export async function applyData(ns: Sandbox, data: Data, query: Query = {}): Promise<KubeObject> {
  return accepted(await apply(ns, ns.path('configmaps', 'a'), configMap('a', { data }), query));
}

export async function changeAs(ns: Sandbox, manager: string, patch: unknown): Promise<KubeObject> {
  return accepted(await ns.patch(ns.path('configmaps', 'a'), patch, { query: { fieldManager: manager } }));
}

export function accepted(response: ApiResponse): KubeObject {
  expect({ status: response.status, text: response.text }).toMatchObject({
    status: expect.toBeOneOf([200, 201]),
  });
  return response.json;
}

/** `manager operation subresource` and the fields it owns, in wire order. */
export function owners(object: KubeObject): [string, unknown][] {
  return (object.metadata.managedFields ?? []).map((entry) => [
    [entry.manager, entry.operation, entry.subresource].filter(Boolean).join(' '),
    entry.fieldsV1,
  ]);
}

export function conflict(...conflicts: readonly (readonly [owner: string, field: string])[]): ExpectedStatus {
  const causes = conflicts.map(([owner, field]) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${owner}`,
    field,
  }));
  const lines = conflicts.flatMap(([owner, field], index) => [
    ...(conflicts[index - 1]?.[0] === owner ? [] : [`conflicts with ${owner}:`]),
    `- ${field}`,
  ]);
  const words =
    causes.length === 1
      ? `1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `${causes.length} conflicts: ${lines.join('\n')}`;
  return { code: 409, reason: 'Conflict', message: `Apply failed with ${words}`, details: { causes } };
}
