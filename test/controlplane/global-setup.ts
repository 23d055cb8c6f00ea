/**
 * One control plane for all files of the vitest project `e2e`.
 *
 * A test finds it by `inject('kubeConfigs')` (paths; see KubeConfigFiles), or, where it runs against other servers too, by
 * the environment variable KUBEFLECT_KUBECONFIG, which names the administrator's kubeconfig. If that variable is set
 * before the run, nothing is started, that server is used, and the other two paths are missing.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { type Binaries, resolveBinaries } from './binaries.js';
import { type ControlPlane, type KubeConfigFiles, startControlPlane } from './control-plane.js';

declare module 'vitest' {
  interface ProvidedContext {
    kubeConfigs: Pick<KubeConfigFiles, 'admin'> & Partial<KubeConfigFiles>;
  }
}

const VARIABLE = 'KUBEFLECT_KUBECONFIG';

let controlPlane: ControlPlane | undefined;

export async function setup(project: TestProject): Promise<void> {
  const binaries = await resolveBinaries((line) => console.log(line));
  console.log(await describeVersions(binaries));
  const given = process.env[VARIABLE];
  if (given) {
    console.log(`using the server of ${VARIABLE}=${given}`);
    project.provide('kubeConfigs', { admin: given });
    return;
  }
  const started = performance.now();
  controlPlane = await startControlPlane({ binaries });
  console.log(`control plane on ${controlPlane.url} in ${Math.round(performance.now() - started)} ms\n`);
  project.provide('kubeConfigs', controlPlane.kubeConfigs);
  process.env[VARIABLE] = controlPlane.kubeConfigs.admin;
}

export async function teardown(): Promise<void> {
  if (!controlPlane) return;
  delete process.env[VARIABLE];
  await controlPlane.stop();
  controlPlane = undefined;
}

async function describeVersions({ kubeApiServer, etcd, kubectl }: Binaries): Promise<string> {
  const versions = await Promise.all([
    firstLine(kubeApiServer, ['--version']),
    firstLine(etcd, ['--version']),
    firstLine(kubectl, ['version', '--client']),
    firstLine('go', ['version']),
  ]);
  const [apiServerVersion, etcdVersion, kubectlVersion, goVersion] = versions;
  return [
    '',
    `kube-apiserver  ${apiServerVersion}`,
    `etcd            ${etcdVersion}`,
    `kubectl         ${kubectlVersion}`,
    `go              ${goVersion}`,
    `node            ${process.version}`,
  ].join('\n');
}

async function firstLine(program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args);
    return stdout.split('\n')[0] ?? '';
  } catch {
    return 'not here';
  }
}
