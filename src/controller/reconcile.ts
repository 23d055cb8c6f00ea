export interface ReconcileContext {
  /** Aborted when the controller stops without draining. */
  readonly signal: AbortSignal;
  /** How often this key has failed since its last success. */
  readonly retries: number;
}

export interface ReconcileResult {
  /** Reconciles the key again after this time, although it succeeded. */
  readonly requeueAfterMs?: number;
}

/**
 * Brings the actual state closer to the desired state of this key's object, which may be deleted. A key is never
 * reconciled concurrently. If it throws, it is retried with exponential backoff.
 */
export type Reconcile = (
  key: string,
  context: ReconcileContext,
) => ReconcileResult | undefined | Promise<ReconcileResult | undefined> | Promise<void> | void;
