/** Starts a real kube-apiserver with etcd on loopback, and reliably stops both. */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuedCertificate } from '#dist/apiserver/certificate.js';
import { grantAccess, requestServiceAccountToken, waitForOk } from './access.js';
import type { ApiCredentials } from './api-request.js';
import { ApiServer, type StopOptions } from './api-server.js';
import { type Binaries, resolveBinaries } from './binaries.js';
import {
  ADMIN_USER,
  CERTIFICATE_USER,
  type InitialCredentials,
  renderKubeConfig,
  writeInitialCredentials,
} from './credentials.js';
import { restoreEtcd } from './etcdutl.js';
import { findFreePort } from './free-port.js';
import type { GuardedProcess, StopOutcome } from './guarded-process.js';
import { RunFolder } from './run-folder.js';
import { START_TIMEOUT_MS, startServer, withFreshPorts } from './started-server.js';
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

/** Paths of kubeconfig files, one per way to log in. */
export interface KubeConfigFiles {
  /** A static token of `system:masters`: all permissions. */
  admin: string;
  /** A client certificate: may read everything. */
  clientCertificate: string;
  /** A bound service account token: may read namespaces, pods and config maps. */
  serviceAccount: string;
}

const ETCD_GRACE_MS = 10_000;

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
      controlPlane.apiServer.port = await findFreePort();
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
  readonly ports: { etcd: number; etcdPeer: number } = { etcd: 0, etcdPeer: 0 };
  readonly kubeConfigs: KubeConfigFiles;
  readonly binaries: Binaries;
  readonly #folder: RunFolder;
  readonly #options: ControlPlaneOptions;
  readonly #credentials: InitialCredentials;
  readonly #apiServer: ApiServer;
  readonly #others: ApiServer[] = [];
  #etcd: GuardedProcess | undefined;
  #stopped: Promise<void> | undefined;

  constructor(binaries: Binaries, folder: RunFolder, options: ControlPlaneOptions) {
    this.binaries = binaries;
    this.#folder = folder;
    this.#options = options;
    this.#credentials = writeInitialCredentials(folder, new Date());
    this.#apiServer = this.#newApiServer('kube-apiserver', binaries.kubeApiServer);
    this.kubeConfigs = {
      admin: folder.file('admin.kubeconfig'),
      clientCertificate: folder.file('client-certificate.kubeconfig'),
      serviceAccount: folder.file('service-account.kubeconfig'),
    };
  }

  get apiServer(): ApiServer {
    return this.#apiServer;
  }

  get url(): string {
    return this.#apiServer.url;
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
    const etcd = this.#etcd?.hasExited === false ? this.#etcd.pid : undefined;
    return { apiServer: this.#apiServer.processId, etcd };
  }

  /** Starts or restarts etcd, on the same port and with the same data. */
  async startEtcd(): Promise<void> {
    const { etcd: port } = this.ports;
    const clientUrl = `http://127.0.0.1:${port}`;
    const { name, peerUrl } = this.#etcdMember;
    const args = [
      `--name=${name}`,
      `--data-dir=${this.#dataFolder}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=${name}=${peerUrl}`,
      // The data need not survive a crash of the machine.
      '--unsafe-no-fsync',
      '--quota-backend-bytes=8589934592',
      ...(this.#options.etcdFlags ?? []),
    ];
    // Checks the name, since another etcd that got the port would pass a health check, too.
    const isReady = async (): Promise<boolean> => {
      const response = await fetch(`${clientUrl}/v3/cluster/member/list`, { method: 'POST', body: '{}' });
      return response.ok && (await response.text()).includes(`"${name}"`);
    };
    const start = { name: 'etcd', program: this.binaries.etcd, port, args, folder: this.#folder, isReady };
    this.#etcd = await startServer(start, this.#etcd);
  }

  /** Starts or restarts the API server, on the same port; `flags` replace the option `apiServerFlags` this time. */
  async startApiServer(flags?: readonly string[]): Promise<void> {
    await this.#apiServer.start(flags);
  }

  stopApiServer(options?: StopOptions): Promise<StopOutcome> {
    return this.#apiServer.stop(options);
  }

  /** Starts another API server on the same etcd, with the same flags and credentials, of any version. */
  async addApiServer(version: KubernetesVersion): Promise<ApiServer> {
    const log = this.#options.log ?? ((): void => {});
    const { kubeApiServer } = await resolveBinaries(log, version);
    const name = `kube-apiserver-${this.#others.length + 2}`;
    const server = this.#newApiServer(name, kubeApiServer);
    this.#others.push(server);
    await withFreshPorts(name, log, async () => {
      server.port = await findFreePort();
      await server.start();
    });
    return server;
  }

  async stopEtcd({ signal = 'SIGTERM' }: StopOptions = {}): Promise<StopOutcome> {
    return (await this.#etcd?.stop(signal, ETCD_GRACE_MS)) ?? 'ended';
  }

  /** Another cluster at the same address: without the objects of this one, and its versions restart at 1. */
  async startAnew({ beforeApiServer }: { beforeApiServer?: () => Promise<void> } = {}): Promise<void> {
    await this.#stopApiServers();
    await this.stopEtcd();
    rmSync(this.#dataFolder, { recursive: true });
    await this.startEtcd();
    await beforeApiServer?.();
    await this.startApiServer();
    await this.writeKubeConfigs();
  }

  /** The same data in a cluster whose versions go on from beyond `bumpRevision`, as after a restored backup. */
  async restoreBeyond(bumpRevision: bigint): Promise<void> {
    await this.#stopApiServers();
    await this.stopEtcd();
    const into = this.#folder.file('etcd-restored');
    const database = join(this.#dataFolder, 'member', 'snap', 'db');
    await restoreEtcd({ etcd: this.binaries.etcd, database, into, bumpRevision, ...this.#etcdMember });
    rmSync(this.#dataFolder, { recursive: true });
    renameSync(into, this.#dataFolder);
    await this.startEtcd();
    await this.startApiServer();
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

  #newApiServer(name: string, program: string): ApiServer {
    return new ApiServer({
      name,
      program,
      folder: this.#folder,
      credentials: this.#credentials,
      etcdPort: () => this.ports.etcd,
      flags: this.#options.apiServerFlags ?? [],
    });
  }

  /** The API servers first: without etcd they would keep their ports for a minute. */
  async #stopAll(): Promise<void> {
    await this.#stopApiServers();
    await this.stopEtcd();
    await this.#folder.remove();
  }

  async #stopApiServers(): Promise<void> {
    await Promise.all([this.#apiServer, ...this.#others].map((server) => server.stop()));
  }

  get #etcdMember(): { readonly name: string; readonly peerUrl: string } {
    const { etcd, etcdPeer } = this.ports;
    return { name: `kubeflect-${process.pid}-${etcd}`, peerUrl: `http://127.0.0.1:${etcdPeer}` };
  }

  get #dataFolder(): string {
    return this.#folder.file('etcd');
  }
}
