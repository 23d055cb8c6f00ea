/** One kube-apiserver of a control plane. */

import { apiRequest } from './api-request.js';
import type { InitialCredentials } from './credentials.js';
import type { GuardedProcess, StopOutcome } from './guarded-process.js';
import type { RunFolder } from './run-folder.js';
import { startServer } from './started-server.js';

export interface ApiServerOptions {
  readonly name: string;
  readonly program: string;
  readonly folder: RunFolder;
  readonly credentials: InitialCredentials;
  readonly etcdPort: () => number;
  /** Appended to the default ones. */
  readonly flags: readonly string[];
}

export interface StopOptions {
  /** SIGKILL for a crash. @default 'SIGTERM' */
  signal?: 'SIGTERM' | 'SIGKILL';
}

/** Without etcd the API server waits for about a minute before it exits; with etcd it stops within a second. */
const STOP_GRACE_MS = 20_000;

export class ApiServer {
  /** Fixed once started: a restarted server has the same port. */
  port = 0;
  readonly #options: ApiServerOptions;
  #process: GuardedProcess | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get processId(): number | undefined {
    return this.#process?.hasExited === false ? this.#process.pid : undefined;
  }

  /** Starts or restarts it; `flags` replace those of the options this time. */
  async start(flags: readonly string[] = this.#options.flags): Promise<void> {
    const { name, program, folder, credentials, etcdPort } = this.#options;
    const args = [
      `--etcd-servers=http://127.0.0.1:${etcdPort()}`,
      '--bind-address=127.0.0.1',
      // Endpoints must not have a loopback address: the reconciler of the Endpoints of the Service `kubernetes` fails
      // all the time up to 1.36, and keeps the server from starting as of 1.37.
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--secure-port=${this.port}`,
      `--cert-dir=${folder.file('certificates')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--authorization-mode=RBAC',
      // So that pods can be created without controllers.
      '--disable-admission-plugins=ServiceAccount,Priority,TaintNodesByCondition,DefaultTolerationSeconds',
      // By default an open watch delays the shutdown of a server by a minute (kubernetes/kubernetes#131052).
      '--shutdown-watch-termination-grace-period=1s',
      ...credentials.apiServerFlags,
      ...flags,
    ];
    const isReady = async (): Promise<boolean> => {
      const response = await apiRequest({ url: `${this.url}/readyz`, credentials: credentials.admin });
      return response.status === 200;
    };
    this.#process = await startServer(
      { name, program, args, port: this.port, folder, isReady },
      this.#process,
    );
  }

  async stop({ signal = 'SIGTERM' }: StopOptions = {}): Promise<StopOutcome> {
    return (await this.#process?.stop(signal, STOP_GRACE_MS)) ?? 'ended';
  }
}
