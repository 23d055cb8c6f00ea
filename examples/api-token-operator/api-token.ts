import type { V1ObjectMeta } from '@kubernetes/client-node';

export const GROUP = 'example.com';
export const VERSION = 'v1';
export const PLURAL = 'apitokens';

/** On an ApiToken while there may be Secrets with its token. */
export const FINALIZER = 'tokens.example.com/revoke';
/** On the Secrets: the name of their ApiToken. */
export const TOKEN_LABEL = 'tokens.example.com/token';
/** On the Secrets: the `spec.rotation` that the token was made for. */
export const ROTATION_LABEL = 'tokens.example.com/rotation';

/** Asks for a random token in a Secret. crd.yaml describes the fields. */
export interface ApiToken {
  apiVersion?: string;
  kind?: string;
  metadata?: V1ObjectMeta;
  spec?: { bytes?: number; rotation?: number };
  status?: { observedGeneration?: number; rotation?: number; secretName?: string };
}
