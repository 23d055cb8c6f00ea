import type * as errors from '#dist/src/errors.js';
import type * as reflector from '#dist/src/reflector/reflector.js';
import type * as objectEntry from '#dist/src/store/object-entry.js';

/** The modules under test. Loaded by address, so that a copy with a bug in it can take their place. */
export interface Subject {
  readonly Reflector: typeof reflector.Reflector;
  readonly ObjectEntry: typeof objectEntry.ObjectEntry;
  readonly ApiStatusError: typeof errors.ApiStatusError;
  readonly TransportError: typeof errors.TransportError;
}

export async function loadSubject(directory: URL): Promise<Subject> {
  const load = (file: string) => import(new URL(file, directory).href);
  const [{ Reflector }, { ObjectEntry }, { ApiStatusError, TransportError }] = await Promise.all([
    load('reflector/reflector.js') as Promise<typeof reflector>,
    load('store/object-entry.js') as Promise<typeof objectEntry>,
    load('errors.js') as Promise<typeof errors>,
  ]);
  return { Reflector, ObjectEntry, ApiStatusError, TransportError };
}
