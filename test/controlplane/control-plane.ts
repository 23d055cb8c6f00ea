/** Starts a real kube-apiserver with etcd on loopback, and reliably stops both. */

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedCertificate } from '#dist/apiserver/certificate.js';
import { grantAccess, requestServiceAccountToken, waitForOk } from './access.js';
import { type ApiCredentials, apiRequest } from './api-request.js';
import { type Binaries, resolveBinaries } from './binaries.js';
import {
  ADMIN_USER,
  CERTIFICATE_USER,
  type InitialCredentials,
  renderKubeConfig,
  writeInitialCredentials,
} from './credentials.js';
import { findFreePort, isPortFree } from './free-port.js';
import { GuardedProcess, type StopOutcome } from './guarded-process.js';
import { RunFolder } from './run-folder.js';
import type { KubernetesVersion } from './versions.js';

export interface ControlPlaneOptions {
  /** @default the version of the run: see versions.ts */
  version?: KubernetesVersion;
  /** @default those of `version`, found or built by binaries.ts */
  binaries?: Binaries;
  /**
   * Flags appended to the default ones, such as `--watch-cache=false`, `--feature-gates=WatchList=false`, `--min-request-timeout=5`; of
   * a flag given twice the last counts.
   */
  apiServerFlags?: readonly string[];
  etcdFlags?: readonly string[];
  /** Receives a line per step. @default none */
  log?: (line: string) => void;
}

export interface StopOptions {
  /** SIGKILL for a crash. @default 'SIGTERM' */
  signal?: 'SIGTERM' | 'SIGKILL';
}

/** Paths of kubeconfig files, one per way to log in. */
export interface KubeConfigFiles {
  /** A static token of `system:masters`: all permissions. */
  admin: string;
  /** A client certificate: may read everything. */
  clientCertificate: string;
  /** A bound service account token: may read namespaces, pods and config maps. */
  serviceAccount: string;
}

/** An API server is ready after 3 to 10 s; the rest is for a busy machine. */
const START_TIMEOUT_MS = 120_000;
/** Without etcd the API server waits for about a minute before it exits; with etcd it stops within a second. */
const API_SERVER_GRACE_MS = 20_000;
const ETCD_GRACE_MS = 10_000;
const POLL_INTERVAL_MS = 100;
const PORT_ATTEMPTS = 5;
/** How long a restart waits for the port to become free. */
const PORT_RELEASE_TIMEOUT_MS = 20_000;

/** Starts both, grants the users their permissions, writes the kubeconfigs; on failure nothing is left behind. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const log = options.log ?? ((): void => {});
  const binaries = options.binaries ?? (await resolveBinaries(log, options.version));
  const folder = new RunFolder();
  const controlPlane = new ControlPlane(binaries, folder, options);
  try {
    await withFreshPorts('etcd', log, async () => {
      controlPlane.ports.etcd = await findFreePort();
      controlPlane.ports.etcdPeer = await findFreePort();
      await controlPlane.startEtcd();
    });
    log(`etcd answers on 127.0.0.1:${controlPlane.ports.etcd}`);
    await withFreshPorts('kube-apiserver', log, async () => {
      controlPlane.ports.apiServer = await findFreePort();
      await controlPlane.startApiServer();
    });
    log(`kube-apiserver is ready on ${controlPlane.url}`);
    await controlPlane.writeKubeConfigs();
    return controlPlane;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

export class ControlPlane implements AsyncDisposable {
  /** Fixed once started: a restarted server has the same port. */
  readonly ports: { etcd: number; etcdPeer: number; apiServer: number } = {
    etcd: 0,
    etcdPeer: 0,
    apiServer: 0,
  };
  readonly kubeConfigs: KubeConfigFiles;
  readonly binaries: Binaries;
  readonly #folder: RunFolder;
  readonly #options: ControlPlaneOptions;
  readonly #credentials: InitialCredentials;
  #etcd: GuardedProcess | undefined;
  #apiServer: GuardedProcess | undefined;
  #stopped: Promise<void> | undefined;

  constructor(binaries: Binaries, folder: RunFolder, options: ControlPlaneOptions) {
    this.binaries = binaries;
    this.#folder = folder;
    this.#options = options;
    this.#credentials = writeInitialCredentials(folder, new Date());
    this.kubeConfigs = {
      admin: folder.file('admin.kubeconfig'),
      clientCertificate: folder.file('client-certificate.kubeconfig'),
      serviceAccount: folder.file('service-account.kubeconfig'),
    };
  }

  get url(): string {
    return `https://127.0.0.1:${this.ports.apiServer}`;
  }

  /** The administrator's credentials, for requests of tests. */
  get admin(): ApiCredentials {
    return this.#credentials.admin;
  }

  get folder(): string {
    return this.#folder.path;
  }

  get logFiles(): { apiServer: string; etcd: string } {
    return { apiServer: this.#folder.file('kube-apiserver.log'), etcd: this.#folder.file('etcd.log') };
  }

  /** The process ids of the running programs. */
  get processIds(): { apiServer: number | undefined; etcd: number | undefined } {
    const idOf = (program: GuardedProcess | undefined): number | undefined =>
      program?.hasExited === false ? program.pid : undefined;
    return { apiServer: idOf(this.#apiServer), etcd: idOf(this.#etcd) };
  }

  /** Starts or restarts etcd, on the same port and with the same data. */
  async startEtcd(): Promise<void> {
    const { etcd: port, etcdPeer } = this.ports;
    const clientUrl = `http://127.0.0.1:${port}`;
    const peerUrl = `http://127.0.0.1:${etcdPeer}`;
    const name = `kubeflect-${process.pid}-${port}`;
    this.#etcd = await this.#start(this.#etcd, {
      name: 'etcd',
      program: this.binaries.etcd,
      port,
      args: [
        `--name=${name}`,
        `--data-dir=${this.#folder.file('etcd')}`,
        `--listen-client-urls=${clientUrl}`,
        `--advertise-client-urls=${clientUrl}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=${name}=${peerUrl}`,
        // The data need not survive a crash of the machine.
        '--unsafe-no-fsync',
        '--quota-backend-bytes=8589934592',
        ...(this.#options.etcdFlags ?? []),
      ],
      // Checks the name, since another etcd that got the port would pass a health check, too.
      isReady: async () => {
        const response = await fetch(`${clientUrl}/v3/cluster/member/list`, { method: 'POST', body: '{}' });
        return response.ok && (await response.text()).includes(`"${name}"`);
      },
    });
  }

  /** Starts or restarts the API server, on the same port; `flags` replace the option `apiServerFlags` this time. */
  async startApiServer(flags: readonly string[] = this.#options.apiServerFlags ?? []): Promise<void> {
    const { etcd, apiServer: port } = this.ports;
    this.#apiServer = await this.#start(this.#apiServer, {
      name: 'kube-apiserver',
      program: this.binaries.kubeApiServer,
      port,
      args: [
        `--etcd-servers=http://127.0.0.1:${etcd}`,
        '--bind-address=127.0.0.1',
        // Endpoints must not have a loopback address: the reconciler of the Endpoints of the Service `kubernetes` fails
        // all the time up to 1.36, and keeps the server from starting as of 1.37.
        '--advertise-address=127.0.0.1',
        '--endpoint-reconciler-type=none',
        `--secure-port=${port}`,
        `--cert-dir=${this.#folder.file('certificates')}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        '--authorization-mode=RBAC',
        // So that pods can be created without controllers.
        '--disable-admission-plugins=ServiceAccount,Priority,TaintNodesByCondition,DefaultTolerationSeconds',
        // By default an open watch delays the shutdown of a server by a minute (kubernetes/kubernetes#131052).
        '--shutdown-watch-termination-grace-period=1s',
        ...this.#credentials.apiServerFlags,
        ...flags,
      ],
      isReady: async () => {
        const response = await apiRequest({ url: `${this.url}/readyz`, credentials: this.admin });
        return response.status === 200;
      },
    });
  }

  async stopApiServer({ signal = 'SIGTERM' }: StopOptions = {}): Promise<StopOutcome> {
    return (await this.#apiServer?.stop(signal, API_SERVER_GRACE_MS)) ?? 'ended';
  }

  async stopEtcd({ signal = 'SIGTERM' }: StopOptions = {}): Promise<StopOutcome> {
    return (await this.#etcd?.stop(signal, ETCD_GRACE_MS)) ?? 'ended';
  }

  /** Stops both, removes the folder and all files in it. May be called more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** A token of the service account; it is valid for at least ten minutes. */
  requestServiceAccountToken(lifetimeSeconds?: number): Promise<string> {
    return requestServiceAccountToken(this.url, this.admin, lifetimeSeconds);
  }

  /** Of a user without any permissions. */
  issueClientCertificate(commonName: string): IssuedCertificate {
    return this.#credentials.issueClientCertificate(commonName);
  }

  /** Part of the start: gives each user permissions and a kubeconfig, and resolves when all of them work. */
  async writeKubeConfigs(): Promise<void> {
    const { admin, clientCertificate } = this.#credentials;
    await grantAccess(this.url, admin);
    const serviceAccount = { ca: admin.ca, token: await this.requestServiceAccountToken() };
    const write = (path: string, user: string, credentials: ApiCredentials): void =>
      writeFileSync(path, renderKubeConfig(this.url, user, credentials), { mode: 0o600 });
    write(this.kubeConfigs.admin, ADMIN_USER, admin);
    write(this.kubeConfigs.clientCertificate, CERTIFICATE_USER, clientCertificate);
    write(this.kubeConfigs.serviceAccount, 'kubeflect-service-account', serviceAccount);
    for (const credentials of [admin, clientCertificate, serviceAccount]) {
      await waitForOk(`${this.url}/api/v1/namespaces/default`, credentials, START_TIMEOUT_MS);
    }
  }

  /** The API server first: without etcd it would keep its port for a minute. */
  async #stopAll(): Promise<void> {
    await this.stopApiServer();
    await this.stopEtcd();
    await this.#folder.remove();
  }

  async #start(previous: GuardedProcess | undefined, server: ServerStart): Promise<GuardedProcess> {
    const { name, program, args, port, isReady } = server;
    if (previous?.hasExited === false) throw new Error(`${name} is already running; stop it first`);
    const release = performance.now() + PORT_RELEASE_TIMEOUT_MS;
    while (!(await isPortFree(port))) {
      if (performance.now() > release) throw new PortInUseError(`port ${port} of ${name} is in use`);
      await sleep(POLL_INTERVAL_MS);
    }
    const started = new GuardedProcess({ name, program, args, folder: this.#folder });
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await isReady().catch(() => false))) {
      if (started.hasExited) {
        const tail = started.logTail();
        const message = `${name} ended before it was ready. The end of its log:\n${tail}`;
        throw /address already in use/.test(tail) ? new PortInUseError(message) : new Error(message);
      }
      if (performance.now() > deadline) {
        await started.stop('SIGKILL', 0);
        throw new Error(
          `${name} was not ready after ${START_TIMEOUT_MS} ms. The end of its log:\n${started.logTail()}`,
        );
      }
      await sleep(POLL_INTERVAL_MS);
    }
    return started;
  }
}

interface ServerStart {
  name: string;
  program: string;
  args: readonly string[];
  port: number;
  isReady: () => Promise<boolean>;
}

/** Another process took the port after it was chosen. */
class PortInUseError extends Error {
  override name = 'PortInUseError';
}

async function withFreshPorts(
  name: string,
  log: (line: string) => void,
  start: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof PortInUseError) || attempt === PORT_ATTEMPTS) throw error;
      log(`${name} lost its port to another process; trying others`);
    }
  }
}
