import type { WireError } from '../src/wire/messages.js';

/** Why a stream ends, inside the worker. Only `wire` is sent to the main thread. */
export class StreamFailure extends Error {
  readonly wire: WireError;

  constructor(wire: WireError) {
    super(wire.type === 'status' ? `the server answered ${wire.status.code}` : wire.message);
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

/** Node's error code. */
export function errnoOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'EUNKNOWN';
}
