const KUBE_VERSION = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;

/** Sorts the preferred version first: v10, v2, v1, v1beta2, v1beta1, v1alpha1, and names of another form last. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first === undefined || second === undefined) {
    if (first !== undefined) return -1;
    if (second !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return second.stability - first.stability || second.major - first.major || second.minor - first.minor;
}

function rankOf(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = KUBE_VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  return {
    stability: stage === undefined ? 2 : stage === 'beta' ? 1 : 0,
    major: Number(major),
    minor: Number(minor ?? 0),
  };
}
