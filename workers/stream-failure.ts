import type { UnknownField } from '../src/kube/protobuf-schema/unknown-field.js';
import type { WireError } from '../src/wire/messages.js';

/** Why a stream ends, inside the worker. Only `wire` is sent to the main thread. */
export class StreamFailure extends Error {
  readonly wire: WireError;

  constructor(wire: WireError) {
    super(messageOf(wire));
    this.name = 'StreamFailure';
    this.wire = wire;
  }
}

export function transportFailure(errno: string, message: string): StreamFailure {
  return new StreamFailure({ type: 'transport', errno, message });
}

/** A body that ended early, for whatever reason. */
export function truncated(message: string): StreamFailure {
  return transportFailure('truncated', message);
}

export function protocolFailure(message: string): StreamFailure {
  return new StreamFailure({ type: 'protocol', message });
}

export function unknownFieldFailure(field: UnknownField): StreamFailure {
  return new StreamFailure({ type: 'unknown-field', field });
}

function messageOf(wire: WireError): string {
  if (wire.type === 'status') return `the server answered ${wire.status.code}`;
  return wire.type === 'unknown-field' ? `unknown field of ${wire.field.message}` : wire.message;
}

/** Node's error code. */
export function errnoOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'EUNKNOWN';
}
