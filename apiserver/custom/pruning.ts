/** Custom resources and their structural schema: unknown fields are pruned, missing values are defaulted. */

import { encodeJson, isRecord } from '../json.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Decodes the metadata of an embedded resource; throws when it is invalid. */
export type MetadataDecoder = (
  metadata: Readonly<Record<string, unknown>>,
  fieldPath: string,
) => { metadata: Record<string, unknown>; unknownFields: readonly string[] };

/** `kept` leaves nulls where the schema allows none, unless a default replaces them; validation then rejects them. */
export type NullHandling = 'dropped' | 'kept';

export class StructuralPruner {
  readonly unknownFields: string[] = [];
  /** Problems of embedded resources, which kube-apiserver reports last. */
  readonly unknownMetadataFields: string[] = [];
  readonly #decodeMetadata: MetadataDecoder;
  readonly #nulls: NullHandling;

  constructor(decodeMetadata: MetadataDecoder, nulls: NullHandling) {
    this.#decodeMetadata = decodeMetadata;
    this.#nulls = nulls;
  }

  /** Nulls that the schema does not allow are pruned with the unknown fields, so that a default can replace them. */
  pruned(value: unknown, schema: unknown, path: string): unknown {
    if (!isRecord(schema)) return value;
    if (Array.isArray(value)) {
      return value.map((item, index) => this.pruned(item, schema['items'], `${path}[${index}]`));
    }
    if (!isRecord(value)) return value;
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    const entries: [string, unknown][] = [];
    for (const [key, member] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      const known = schemaOfMember(schema, key);
      if (isResource && isTypeMeta(key)) entries.push([key, member]);
      else if (isResource && key === 'metadata') entries.push([key, this.#metadata(member, place)]);
      else if (known !== undefined) {
        const isLeftOut = member === null && isRecord(known) && this.#isNullLeftOut(known);
        if (!isLeftOut) entries.push([key, this.pruned(member, known, place)]);
      } else if (schema['x-kubernetes-preserve-unknown-fields'] === true) entries.push([key, member]);
      else this.unknownFields.push(place);
    }
    return Object.fromEntries(entries);
  }

  #isNullLeftOut(schema: JsonSchema): boolean {
    if (schema['nullable'] === true || !isTyped(schema)) return false;
    return this.#nulls === 'dropped' || schema['default'] !== undefined;
  }

  #metadata(metadata: unknown, path: string): unknown {
    if (!isRecord(metadata)) return metadata;
    try {
      const decoded = this.#decodeMetadata(metadata, path);
      this.unknownMetadataFields.push(...decoded.unknownFields);
      return decoded.metadata;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${path}: Invalid value: ${encodeJson(metadata)}: ${why}`, { cause: error });
    }
  }
}

/** Defaults apply inside defaults too. */
export function defaulted(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => defaulted(item, schema['items']));
  if (!isRecord(value)) return value;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const missing = Object.entries(properties).flatMap(([key, property]) =>
    isRecord(property) && property['default'] !== undefined && !Object.hasOwn(value, key)
      ? [[key, property['default']] as const]
      : [],
  );
  const filled = missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing) };
  return Object.fromEntries(
    Object.entries(filled).map(([key, member]) => [key, defaulted(member, schemaOfMember(schema, key))]),
  );
}

/** Undefined where the schema does not declare the key; `true` where it accepts anything. */
function schemaOfMember(schema: JsonSchema, key: string): unknown {
  const properties = schema['properties'];
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  const additional = schema['additionalProperties'];
  return additional === false ? undefined : additional;
}

/** A schema without a type accepts null like any value. */
function isTyped(schema: JsonSchema): boolean {
  return schema['type'] !== undefined || schema['x-kubernetes-int-or-string'] === true;
}

function isTypeMeta(key: string): boolean {
  return key === 'apiVersion' || key === 'kind';
}
