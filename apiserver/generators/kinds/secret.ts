/** Secrets: random bytes in base64. */

import type { Draft, DraftContext } from '../draft.js';
import { type JsonObject, sortedMap } from '../go-json.js';
import { counterString, PADDING, variable } from '../placeholder.js';
import { appLabels, objectMeta } from './object-meta.js';

export function draftSecret(context: DraftContext): Draft {
  const { random } = context;
  const labels = appLabels(context);
  const annotations = {
    'cert-manager.io/common-name': `${variable('app')}.example.com`,
    'example.com/notes': `about ${PADDING}`,
    'example.com/rotation': counterString('mutation'),
  };
  const metadata = objectMeta(context, { labels, annotations });
  const isTls = context.ordinal % 4 === 1;
  const type = isTls ? 'kubernetes.io/tls' : 'Opaque';
  const fixed: Record<string, string> = isTls
    ? { 'ca.crt': '', 'tls.crt': '', 'tls.key': '' }
    : { password: random.base64(24), token: '' };
  const object: JsonObject & { metadata: JsonObject } = { metadata, data: fixed, type };
  const bytes = Math.max(48, Math.floor(((context.missing(object) - 40) * 3) / 4));
  const empty = Object.keys(fixed).filter((key) => fixed[key] === '');
  const data = sortedMap(
    Object.fromEntries(
      Object.entries(fixed).map(([key, value]) => [
        key,
        value === '' ? random.base64(Math.max(8, Math.floor(bytes / empty.length) - 3)) : value,
      ]),
    ),
  );
  object['data'] = data;
  return {
    object,
    owners: [
      {
        manager: isTls ? 'cert-manager-certificates-issuing' : 'external-secrets',
        operation: isTls ? 'Apply' : 'Update',
        time: variable('changed'),
        owns: { data, metadata: { annotations, labels }, type },
      },
    ],
  };
}
