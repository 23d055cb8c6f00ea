/** The fields of a CustomResourceDefinition's spec in the order in which kube-apiserver writes them. */

import { isRecord } from '../json.js';

/** Brings a value in order; undefined leaves its field out. */
type Order = (value: unknown) => unknown;

const asIs: Order = (value) => value;

/** Left out at its zero, as `omitempty` of Go does where the field is no pointer. */
const optional: Order = (value) =>
  value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0)
    ? undefined
    : value;

const schema: Order = (value) => inSchemaOrder(value);

const version: Order = fields({
  ...all(asIs, 'name', 'served', 'storage'),
  deprecated: optional,
  deprecationWarning: asIs,
  schema: fields({ openAPIV3Schema: schema }),
  subresources: fields({
    status: fields({}),
    scale: fields(all(asIs, 'specReplicasPath', 'statusReplicasPath', 'labelSelectorPath')),
  }),
  additionalPrinterColumns: each(
    fields({
      ...all(asIs, 'name', 'type'),
      ...all(optional, 'format', 'description', 'priority'),
      jsonPath: asIs,
    }),
  ),
  selectableFields: each(fields(all(asIs, 'jsonPath'))),
});

const spec: Order = fields({
  group: asIs,
  names: fields({
    plural: asIs,
    ...all(optional, 'singular', 'shortNames'),
    kind: asIs,
    ...all(optional, 'listKind', 'categories'),
  }),
  scope: asIs,
  versions: each(version),
  conversion: fields({
    strategy: asIs,
    webhook: fields({
      clientConfig: fields({
        url: asIs,
        service: fields(all(asIs, 'namespace', 'name', 'path', 'port')),
        caBundle: optional,
      }),
      conversionReviewVersions: asIs,
    }),
  }),
  preserveUnknownFields: optional,
});

const inSchemaOrder: Order = fields({
  ...all(optional, 'id', '$schema', '$ref', 'description', 'type', 'format', 'title'),
  ...all(asIs, 'default', 'maximum'),
  exclusiveMaximum: optional,
  minimum: asIs,
  exclusiveMinimum: optional,
  ...all(asIs, 'maxLength', 'minLength', 'pattern', 'maxItems', 'minItems'),
  uniqueItems: optional,
  ...all(asIs, 'multipleOf', 'enum', 'maxProperties', 'minProperties'),
  required: optional,
  items: schema,
  ...all(each(schema), 'allOf', 'oneOf', 'anyOf'),
  not: schema,
  properties: mapOf(schema),
  additionalProperties: schema,
  patternProperties: mapOf(schema),
  dependencies: asIs,
  additionalItems: schema,
  definitions: mapOf(schema),
  ...all(asIs, 'externalDocs', 'example'),
  nullable: optional,
  'x-kubernetes-preserve-unknown-fields': asIs,
  ...all(optional, 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'),
  ...all(optional, 'x-kubernetes-list-map-keys'),
  ...all(asIs, 'x-kubernetes-list-type', 'x-kubernetes-map-type', 'x-kubernetes-validations'),
});

/** A copy in order. Fields that the type does not have are dropped, as decoding drops them. */
export function orderDefinitionSpec(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return spec(value) as Record<string, unknown>;
}

function all(order: Order, ...names: readonly string[]): Record<string, Order> {
  return Object.fromEntries(names.map((name) => [name, order]));
}

function fields(orders: Readonly<Record<string, Order>>): Order {
  return (value) => {
    if (!isRecord(value)) return value;
    const present = Object.entries(orders).filter(([name]) => (value[name] ?? null) !== null);
    return Object.fromEntries(
      present
        .map(([name, order]): [string, unknown] => [name, order(value[name])])
        .filter(([, member]) => member !== undefined),
    );
  };
}

function each(order: Order): Order {
  return (value) => (Array.isArray(value) ? value.map(order) : value);
}

function mapOf(order: Order): Order {
  return (value) => {
    if (!isRecord(value)) return value;
    const names = Object.keys(value).sort();
    return Object.fromEntries(names.map((name) => [name, order(value[name])]));
  };
}
