/** The server that contenders are measured on. */
import type { Digest, Encoding } from '../contenders/task.js';
import { embeddedServer } from './embedded.js';
import { kubeConfigServer } from './kubeconfig.js';
import { realServer } from './real.js';

export interface BenchServer {
  readonly kubeConfig: string;
  /** The number of pods. */
  readonly objects: number;
  readonly description: string;
  /** What a correct cache has. */
  expected(): Promise<Digest>;
  /** The size of the list in one response, where it is known. */
  listBytes?(encoding: Encoding): Promise<number>;
  /** What the server's process has used so far, or NaN. */
  cpuMs(): number;
  close(): Promise<void>;
}

/** The number and size of the pods to generate. */
export interface Population {
  readonly objects: number;
  readonly bytes: number;
}

const SERVERS: ReadonlyMap<string, (population: Population) => Promise<BenchServer>> = new Map([
  ['embedded', embeddedServer],
  ['real', realServer],
  ['kubeconfig', kubeConfigServer],
]);

export async function startServer(name: string, population: Population): Promise<BenchServer> {
  const start = SERVERS.get(name);
  if (start === undefined)
    throw new Error(`unknown server ${name}; expected one of ${[...SERVERS.keys()].join(', ')}`);
  return start(population);
}
