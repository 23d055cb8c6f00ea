import { errorChain } from '../util/errors.js';

/**
 * Thrown by a reconciler for what no retry can repair, such as an invalid spec: the key is not retried, and reconciled
 * again only when something changes. Also found as the cause of another error.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export function isTerminal(error: unknown): boolean {
  for (const link of errorChain(error)) if (link instanceof TerminalError) return true;
  return false;
}
