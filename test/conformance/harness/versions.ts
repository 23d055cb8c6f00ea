/** What changed between the minor versions of kube-apiserver, where several cases see it. */

import type { ApiClient, Query } from './client.js';
import { type ExpectedStatus, expectStatus, forbidden, invalidOptions } from './expect-status.js';
import { goJson } from './json-text.js';
import type { Sandbox } from './sandbox.js';

/** 37 of v1.37.1. */
export async function minorOfServer(api: ApiClient): Promise<number> {
  const { minor } = (await api.get('/version')).json as unknown as { minor: string };
  return Number.parseInt(minor, 10);
}

export const STREAMING_LIST = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
} as const;

/** The feature gate WatchList is on by default in 1.32, off in 1.33, and on as of 1.34. */
export function hasStreamingLists(minor: number): boolean {
  return minor !== 33;
}

export const NO_STREAMING_LISTS = forbidden(
  'sendInitialEvents',
  'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
);

/**
 * Of a watch with a valid sendInitialEvents: checks that a server without streaming lists rejects it, and returns true; the
 * rest of the case is about servers that have them.
 */
export async function isStreamingRejected(
  { ns, minor }: { readonly ns: Sandbox; readonly minor: number },
  path: string,
  query: Query = STREAMING_LIST,
): Promise<boolean> {
  if (hasStreamingLists(minor)) return false;
  const response = await ns.api.get(path, { watch: 1, ...query });
  expectStatus(response, invalidOptions('ListOptions', [NO_STREAMING_LISTS]));
  return true;
}

/** Up to 1.33 metadata without a creation time has it as null, after the resourceVersion. */
export function noCreationTime(minor: number): { creationTimestamp?: null } {
  return minor < 34 ? { creationTimestamp: null } : {};
}

/** The annotations of the bookmark that ends initial events; 1.32 adds the list, without items, as a blueprint. */
export function endAnnotations(minor: number, emptyList: object): Record<string, string> {
  const end = { 'k8s.io/initial-events-end': 'true' };
  if (minor >= 33) return end;
  const blueprint = Buffer.from(`${goJson(emptyList)}\n`).toString('base64');
  return { ...end, 'kubernetes.io/initial-events-list-blueprint': blueprint };
}

export function emptyTypedList(kind: string, apiVersion: string): object {
  return { kind: `${kind}List`, apiVersion, metadata: {}, items: null };
}

/** Pods have a generation as of 1.33. */
export function podGeneration(minor: number, generation: number): number | undefined {
  return minor < 33 ? undefined : generation;
}

/** The name of a Go scheme has the line of the code that makes it. */
export function schemeName(minor: number): string {
  const line = minor < 33 ? 100 : minor < 35 ? 110 : 111;
  return `pkg/runtime/scheme.go:${line}`;
}

/** Of DeleteOptions that cannot be decoded: a 400 as of 1.35, before a 500 without reason. */
export function undecodableOptions(minor: number, message: string): ExpectedStatus {
  return minor < 35 ? { code: 500, message } : { code: 400, reason: 'BadRequest', message };
}

/** How validation prints a version that is missing: Go's syntax up to 1.33, JSON as of 1.34. */
export function missingVersion(minor: number): string {
  return `Invalid value: ${minor < 34 ? '0x0' : '0'}: must be specified for an update`;
}
