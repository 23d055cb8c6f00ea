/** A body that is not what a list has to be. Says where, never what stood there. */
export class SplitError extends Error {
  /** The body ended too early, which is the connection's fault; otherwise the server sent something else than a list. */
  readonly isTruncated: boolean;

  constructor(message: string, options: { readonly isTruncated: boolean }) {
    super(message);
    this.name = 'SplitError';
    this.isTruncated = options.isTruncated;
  }
}
