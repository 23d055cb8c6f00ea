import { KubeflectError } from '../util/errors.js';

/** Never has a cause: the exceptions of files, plugins and user functions may quote secrets. */
export function credentialsFailure(message: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_CREDENTIALS_FAILED', message);
}

/** What may be reported about an exception of foreign code: its class and its code, never its message. */
export function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  const { code } = error as { readonly code?: unknown };
  const isName = (value: unknown): value is string =>
    typeof value === 'string' && /^[A-Za-z][\w.]{0,60}$/.test(value);
  return [error.name, code].filter(isName).join(' ') || 'an error';
}
