import type * as informer from '#dist/src/informer/shared-informer.js';
import type * as apiStatusError from '#dist/src/kube/status.js';
import type * as reflector from '#dist/src/reflector/reflector.js';
import type * as objectEntry from '#dist/src/store/object-entry.js';
import type * as errors from '#dist/src/util/errors.js';
import type * as slices from '#dist/src/util/slice-scheduler.js';

/** The modules under test. Loaded by URL, so that a copy with a seeded bug can take their place. */
export interface Subject {
  readonly Reflector: typeof reflector.Reflector;
  readonly SharedInformer: typeof informer.SharedInformer;
  readonly SliceScheduler: typeof slices.SliceScheduler;
  readonly ObjectEntry: typeof objectEntry.ObjectEntry;
  readonly ApiStatusError: typeof apiStatusError.ApiStatusError;
  readonly TransportError: typeof errors.TransportError;
}

export async function loadSubject(directory: URL): Promise<Subject> {
  const load = (file: string) => import(new URL(file, directory).href);
  return {
    ...((await load('reflector/reflector.js')) as typeof reflector),
    ...((await load('informer/shared-informer.js')) as typeof informer),
    ...((await load('util/slice-scheduler.js')) as typeof slices),
    ...((await load('store/object-entry.js')) as typeof objectEntry),
    ...((await load('kube/status.js')) as typeof apiStatusError),
    ...((await load('util/errors.js')) as typeof errors),
  };
}
