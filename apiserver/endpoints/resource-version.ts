import { badRequest, StatusError, tooLargeResourceVersion } from '../status-error.js';
import type { ServerState } from './request-context.js';

/** Go's ParseUint: leading zeros are allowed, signs are not. */
export function parseRevision(value: string): number | undefined {
  return /^[0-9]+$/.test(value) ? Number(value) : undefined;
}

export function listRevision(value: string): number {
  const revision = parseRevision(value);
  if (revision === undefined) throw badRequest(`invalid resource version: ${unparseable(value)}`);
  return revision;
}

/** kube-apiserver does not convert the parse error of watches and GETs: it is a 500 without a reason. */
export function watchRevision(value: string): number {
  const revision = parseRevision(value);
  if (revision === undefined) throw new StatusError(500, undefined, unparseable(value));
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

function unparseable(value: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(value)}: strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`;
}
