import { KubeflectError } from '../util/errors.js';

/** Completes "the credentials could not be …". Never has a cause: what files, plugins and other people's functions throw may quote secrets. */
export function credentialsFailure(what: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_CREDENTIALS_FAILED', what);
}

/** What may be said of an exception that somebody else threw: its class and its code, never its message. */
export function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error';
  const { code } = error as { readonly code?: unknown };
  const isName = (value: unknown): value is string =>
    typeof value === 'string' && /^[A-Za-z][\w.]{0,60}$/.test(value);
  return [error.name, code].filter(isName).join(' ') || 'an error';
}
