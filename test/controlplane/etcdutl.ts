/** etcd's tool for backups, built on first use with the versions of a control plane's etcd. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface RestoreOptions {
  /** etcd's program; its folder has the go.mod that it was built with. */
  readonly etcd: string;
  readonly database: string;
  readonly into: string;
  /** Added to the last revision. Needs etcd 3.6. */
  readonly bumpRevision: bigint;
  readonly name: string;
  readonly peerUrl: string;
}

/** Makes a data folder from the database of an etcd that was stopped. */
export async function restoreEtcd(options: RestoreOptions): Promise<void> {
  const { etcd, database, into, bumpRevision, name, peerUrl } = options;
  await run(await resolveEtcdutl(dirname(etcd)), [
    ...['snapshot', 'restore', database, '--skip-hash-check', `--data-dir=${into}`],
    ...[`--bump-revision=${bumpRevision}`, '--mark-compacted'],
    ...[`--name=${name}`, `--initial-cluster=${name}=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`],
  ]);
}

/** Beside the programs of the control plane. */
async function resolveEtcdutl(folder: string): Promise<string> {
  const program = join(folder, 'etcdutl');
  if (existsSync(program)) return program;
  const version = /^require go\.etcd\.io\/etcd\/server\/v3 (\S+)$/m.exec(
    readFileSync(join(folder, 'go.mod'), 'utf8'),
  )?.[1];
  if (version === undefined) throw new Error(`${folder}/go.mod does not name a version of etcd`);
  mkdirSync(folder, { recursive: true });
  const workshop = mkdtempSync(join(folder, 'building-etcdutl-'));
  try {
    const tool = 'go.etcd.io/etcd/etcdutl/v3';
    writeFileSync(
      join(workshop, 'go.mod'),
      `module kubeflect.dev/test/etcdutl\ngo 1.24\nrequire ${tool} ${version}\n`,
    );
    const env = { ...process.env, GOTOOLCHAIN: 'local' };
    const built = join(workshop, 'etcdutl');
    await run('go', ['build', '-mod=mod', '-trimpath', '-ldflags', '-s -w', '-o', built, tool], {
      cwd: workshop,
      env,
    });
    renameSync(built, program);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return program;
}
