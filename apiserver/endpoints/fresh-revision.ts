import { badRequest, StatusError, tooLargeResourceVersion } from '../status-error.js';
import type { ServerState } from './request-context.js';

/** Go's ParseUint, as far as clients meet it: leading zeros are fine, signs are not. */
export function parseRevision(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

export function listRevision(text: string): number {
  const revision = parseRevision(text);
  if (revision === undefined) throw badRequest(`invalid resource version: ${unparseable(text)}`);
  return revision;
}

/** Watches and GETs do not convert the parse error: it comes out as a 500 without a reason. */
export function watchRevision(text: string): number {
  const revision = parseRevision(text);
  if (revision === undefined) throw new StatusError(500, undefined, unparseable(text));
  return revision;
}

/** Waits until storage has reached `revision`, as the watch cache does; 504 when it does not in time. */
export async function waitForRevision(server: ServerState, revision: number): Promise<void> {
  const deadline = server.environment.elapsedMs() + server.options.freshnessTimeoutMs;
  while (server.storage.revision < revision) {
    if (server.environment.elapsedMs() >= deadline) {
      throw tooLargeResourceVersion(revision, server.storage.revision, server.options.watchCache);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function unparseable(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
}
