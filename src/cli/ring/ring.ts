import { LEASE_API_VERSION, leasePath } from '../../lease/lease.js';
import { RING_LABEL } from '../../ring/ring-lease.js';
import { ApiClient } from '../api/api-client.js';
import { CLUSTER_OPTIONS, selectedKubeConfig } from '../api/resource-selection.js';
import { type OptionTable, parseArguments, UsageError } from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { print } from '../terminal/output.js';
import { type LeaseObject, ringStatus, statusLines } from './ring-status.js';

const OPTIONS: OptionTable = {
  namespace: { short: 'n', value: 'name', help: "Of the ring's Leases (default: default)" },
  ...CLUSTER_OPTIONS,
  json: { help: 'Print one JSON document' },
};

export const ring: Command = {
  name: 'ring',
  usage: 'status <name> [options]',
  summary: 'Show which replica owns which shards of a ring, and which shards have no owner',
  options: OPTIONS,
  notes: `Reads the Leases of a ShardRing. The exit code is 1 if a shard has no owner.

Example: kubeflect ring status copier -n default
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, 2);
  const [verb, name] = parsed.positionals;
  if (verb !== 'status' || name === undefined) throw new UsageError('expected status and the name of a ring');
  const namespace = parsed.string('namespace') ?? 'default';
  const client = new ApiClient(await selectedKubeConfig(parsed));
  try {
    const selector = encodeURIComponent(`${RING_LABEL}=${name}`);
    const { items } = await client.json<{ readonly items: readonly LeaseObject[] }>(
      `${leasePath(namespace)}?labelSelector=${selector}`,
    );
    const leases = items.map((item) => ({ ...item, kind: 'Lease', apiVersion: LEASE_API_VERSION }));
    const status = ringStatus(leases, Date.now());
    if (status.shards === 0) throw new Error(`there is no ring ${name} in the namespace ${namespace}`);
    if (parsed.flag('json')) print(JSON.stringify({ name, namespace, ...status }, undefined, 2));
    else for (const line of statusLines(status)) print(line);
    return status.free.length === 0 ? 0 : 1;
  } finally {
    client.close();
  }
}
