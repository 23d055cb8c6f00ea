/** Runs in each worker: secrets keep their keys, and lose their values. */
export function transform(secret) {
  return {
    ...secret,
    data: Object.fromEntries(Object.keys(secret.data ?? {}).map((key) => [key, 'hidden'])),
  };
}

export const indexes = { dataKeys: (secret) => Object.keys(secret.data ?? {}) };
