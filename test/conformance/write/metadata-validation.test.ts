/** Rules of metadata that every kind has, and how often an update lists what breaks them. */

import { describe } from 'vitest';
import { test } from '../harness/case.js';
import {
  type ExpectedStatus,
  expectStatus,
  invalid,
  repeated,
  type StatusCause,
} from '../harness/expect-status.js';
import { configMap } from '../harness/objects.js';

type Cause = Required<StatusCause>;

const NAMELESS = { apiVersion: '', kind: '', name: '', uid: '' };
const MALFORMED = { apiVersion: 'a/b/c', kind: 'X', name: 'x', uid: 'u' };

/** Of an owner reference without its four fields, and of one whose apiVersion has three parts. */
function ownerCauses(minor: number): Cause[] {
  if (minor >= 37) {
    const at = 'metadata.ownerReferences';
    const malformed = 'Invalid value: "a/b/c": must be <group>/<version> or <version>';
    return [
      ...['apiVersion', 'kind', 'name', 'uid'].map((field) => ({
        reason: 'FieldValueRequired',
        message: 'Required value: must not be empty',
        field: `${at}[0].${field}`,
      })),
      { reason: 'FieldValueInvalid', message: malformed, field: `${at}[1].apiVersion` },
    ];
  }
  const invalidField = (field: string, value: string, why: string): Cause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: "${value}": ${why}`,
    field: `metadata.ownerReferences.${field}`,
  });
  return [
    invalidField('apiVersion', '', 'version must not be empty'),
    ...['kind', 'name', 'uid'].map((field) =>
      invalidField(field, '', minor < 34 ? `${field} must not be empty` : 'must not be empty'),
    ),
    invalidField('apiVersion', 'a/b/c', 'version must not be empty'),
  ];
}

/** The message has each cause once. */
function listed(times: number, expected: ExpectedStatus): ExpectedStatus {
  const causes = Array.from({ length: times }, () => expected.details?.causes ?? []).flat();
  return { ...expected, details: { ...expected.details, causes } };
}

describe('invalid owner references', () => {
  const metadata = { ownerReferences: [NAMELESS, MALFORMED] };

  test('are a 422 on create', async ({ ns, minor }) => {
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body: configMap('a', { metadata }) }),
      invalid('ConfigMap', '', 'a', ownerCauses(minor)),
    );
  });

  test('are a 422 on update, which lists each four times up to 1.36', async ({ ns, minor }) => {
    await ns.create('configmaps', configMap('a'));
    expectStatus(
      await ns.patch(ns.path('configmaps', 'a'), { metadata }),
      listed(minor < 37 ? 4 : 1, invalid('ConfigMap', '', 'a', ownerCauses(minor))),
    );
  });

  test('are a 422 on update of a custom resource, which lists each three times', async ({
    ns,
    widgets,
    minor,
  }) => {
    await ns.create('widgets', widgets.widget('a'));
    expectStatus(
      await ns.patch(widgets.pathIn(ns, 'a'), { metadata }),
      listed(3, invalid('Widget', widgets.group, 'a', ownerCauses(minor))),
    );
  });
});

describe('a changed uid', () => {
  test('of a custom resource is listed twice', async ({ ns, widgets }) => {
    await ns.create('widgets', widgets.widget('a'));
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "x": field is immutable',
      field: 'metadata.uid',
    };
    expectStatus(
      await ns.patch(widgets.pathIn(ns, 'a'), { metadata: { uid: 'x' } }),
      repeated(invalid('Widget', widgets.group, 'a', [cause])),
    );
  });
});
