import { KubeflectError } from '../../util/errors.js';

/** A field on the wire that the protobuf schema does not have. Its name is unknown, and its value is not read. */
export interface UnknownField {
  readonly number: number;
  /** The message that it is a field of, e.g. `core.v1.Container`. */
  readonly message: string;
  /** Where that message is in the object, e.g. `spec.containers[]`; empty for the object itself. */
  readonly path: string;
}

/** `field 37 of core.v1.Container (spec.containers[])` */
export function describeUnknownField({ number, message, path }: UnknownField): string {
  return `field ${number} of ${message}${path && ` (${path})`}`;
}

/** The API server is newer than the protobuf schema of this package: an object has a field that the schema lacks. */
export class UnknownFieldError extends KubeflectError {
  readonly field: UnknownField;

  constructor(field: UnknownField, message = `${describeUnknownField(field)} is not in the protobuf schema`) {
    super('KUBEFLECT_UNKNOWN_FIELD', message);
    this.field = field;
  }
}
