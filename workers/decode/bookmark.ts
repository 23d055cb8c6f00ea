import { isInitialEventsEnd } from '../../src/kube/bookmark.js';
import type { ObjectType } from '../../src/kube/item-type.js';
import { checkObject } from '../../src/kube/object-check.js';
import type { Decoded } from './decoder.js';
import { rejectParsed } from './rejected-object.js';

/** The row of a BOOKMARK event: its resource version, and whether it ends the initial events of a streaming list. */
export function decodeBookmark(object: unknown, accepted: readonly ObjectType[]): Decoded {
  const problem = checkObject(object, accepted, 'bookmark');
  if (problem !== undefined) return rejectParsed(problem.reason, problem.message, object, 'BOOKMARK');
  const { metadata } = object as {
    readonly metadata: { readonly resourceVersion: string; readonly annotations?: unknown };
  };
  return {
    type: 'bookmark',
    resourceVersion: metadata.resourceVersion,
    initialEventsEnd: isInitialEventsEnd(metadata),
  };
}
