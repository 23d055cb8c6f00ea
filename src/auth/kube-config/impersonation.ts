import type { HeaderFields } from '../../wire/connection-settings.js';

export interface Impersonated {
  readonly impersonateUser?: string | null | undefined;
  readonly impersonateUid?: string | null | undefined;
  readonly impersonateGroups?: readonly string[] | null | undefined;
  readonly impersonateUserExtra?: Readonly<Record<string, readonly string[]>> | null | undefined;
}

/** `as`, `as-uid`, `as-groups` and `as-user-extra` of a kubeconfig, as the API server wants them. */
export function impersonationHeaders(user: Impersonated): HeaderFields {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateUserExtra } = user;
  const extra = Object.entries(impersonateUserExtra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values] as const,
  );
  return {
    ...(impersonateUser && { 'impersonate-user': impersonateUser }),
    ...(impersonateUid && { 'impersonate-uid': impersonateUid }),
    ...(impersonateGroups?.length && { 'impersonate-group': impersonateGroups }),
    ...Object.fromEntries(extra),
  };
}

/** Keys may be `example.com/scopes`; a header name may not. Percent signs, and what encodeURIComponent leaves although headers cannot have it. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(
    /[()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
