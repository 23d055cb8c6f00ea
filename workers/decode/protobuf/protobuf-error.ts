/** Bytes that are no message of the expected type. Says what was wrong, never what stood there. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtobufError';
  }
}
