import { isRecord } from './object.js';

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** By the metadata of a bookmark. */
export function isInitialEventsEnd(metadata: object): boolean {
  const { annotations } = metadata as { readonly annotations?: unknown };
  return isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
}
