/**
 * The server that contenders are measured on: `{ kubeConfig, objects, description, expected(), cpuMs(), close() }`.
 *
 * `expected` is the count and the digest that a right cache has; `cpuMs` what the server's process has used so far, or NaN.
 */
import { embeddedServer } from './embedded.mjs';
import { kubeConfigServer } from './kubeconfig.mjs';
import { realServer } from './real.mjs';

const KINDS = { embedded: embeddedServer, real: realServer, kubeconfig: kubeConfigServer };

export function startServer(kind, shape) {
  if (!Object.hasOwn(KINDS, kind))
    throw new Error(`there is no server ${kind}; known are ${Object.keys(KINDS).join(', ')}`);
  return KINDS[kind](shape);
}
