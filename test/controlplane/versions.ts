/** The Kubernetes versions that the end-to-end tests run on: of each minor version the newest patch in Go's registry. */

/** In ascending order. */
export const KUBERNETES_VERSIONS = ['1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3', '1.37.1'] as const;

export type KubernetesVersion = (typeof KUBERNETES_VERSIONS)[number];

/** The version of a run that names none. */
export const DEFAULT_VERSION = '1.37.1' satisfies KubernetesVersion;

/** An environment variable: the version of this run, such as `1.34`. */
export const VERSION_VARIABLE = 'KUBEFLECT_KUBERNETES_VERSION';

export class UnknownVersionError extends Error {
  override name = 'UnknownVersionError';
}

/** The version of a name such as `1.36`, `1.36.3` or `v1.36.3`. */
export function parseVersion(name: string): KubernetesVersion {
  const wanted = name.replace(/^v/, '');
  const found = KUBERNETES_VERSIONS.find((version) => version === wanted || minorOf(version) === wanted);
  if (found) return found;
  throw new UnknownVersionError(
    `unknown Kubernetes version ${JSON.stringify(name)}; expected one of ` +
      `${KUBERNETES_VERSIONS.map(minorOf).join(', ')} (test/controlplane/versions.ts lists the patch versions)`,
  );
}

/** The version that the environment names, or the default. */
export function selectedVersion(environment: NodeJS.ProcessEnv = process.env): KubernetesVersion {
  const name = environment[VERSION_VARIABLE];
  return name ? parseVersion(name) : DEFAULT_VERSION;
}

/** The version before, or after the first one: the other of two API servers in the middle of an upgrade. */
export function neighbourOf(version: KubernetesVersion): KubernetesVersion {
  const index = KUBERNETES_VERSIONS.indexOf(version);
  return KUBERNETES_VERSIONS[index === 0 ? 1 : index - 1] as KubernetesVersion;
}

/** What the end-to-end suites on a version need: its neighbour, too, for the pair of API servers. */
export function versionsOfSuites(version: KubernetesVersion): readonly KubernetesVersion[] {
  return [version, neighbourOf(version)];
}

/** `1.36` of `1.36.3`. */
export function minorOf(version: string): string {
  return version.split('.', 2).join('.');
}
