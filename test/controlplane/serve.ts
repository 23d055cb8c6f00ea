/**
 * A control plane to work against: `npm run controlplane -- [--kubernetes <version>] [--kubeconfig <file>]
 * [kube-apiserver flags]` starts one, writes the administrator's kubeconfig to the file if one is named, and runs until SIGINT
 * or SIGTERM.
 */

import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { startControlPlane } from './control-plane.js';
import { parseVersion, selectedVersion } from './versions.js';

export async function serve(args: readonly string[]): Promise<void> {
  const apiServerFlags = [...args];
  const target = takeOption(apiServerFlags, '--kubeconfig');
  const requested = takeOption(apiServerFlags, '--kubernetes');
  const version = requested === undefined ? selectedVersion() : parseVersion(requested);
  const ended = new Promise<void>((resolveEnd) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolveEnd());
  });
  // Keeps the process running: the handles of the control plane are unreferenced.
  const keepAlive = setInterval(() => {}, 2 ** 30);
  const controlPlane = await startControlPlane({ version, apiServerFlags, log: (line) => console.log(line) });
  const { admin, clientCertificate, serviceAccount } = controlPlane.kubeConfigs;
  if (target !== undefined) {
    mkdirSync(dirname(resolve(target)), { recursive: true });
    copyFileSync(admin, target);
  }
  console.log(`folder             ${controlPlane.folder}`);
  console.log(`admin              ${target ?? admin}`);
  console.log(`client certificate ${clientCertificate}`);
  console.log(`service account    ${serviceAccount}`);
  console.log(`kubectl            ${controlPlane.binaries.kubectl}`);
  console.log(`\nexport KUBEFLECT_KUBECONFIG=${target ?? admin}\n\nCtrl-C stops it and removes the folder.`);
  await ended;
  clearInterval(keepAlive);
  console.log('stopping');
  await controlPlane.stop();
}

/** Removes an option and its value from the arguments, and returns the value. */
function takeOption(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}
