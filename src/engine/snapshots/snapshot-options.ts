import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { KubernetesObject } from '../../kube/object.js';
import { PROTOBUF_VERSION } from '../../kube/protobuf-schema/table.js';
import { FORMAT_VERSION, KEY_BYTES } from '../../snapshot/frames.js';
import type { ExpectedIdentity } from '../../snapshot/snapshot-header.js';
import { controllerUid } from '../../store/index-function.js';
import { duration, integer, invalidOption, type Rules, resolveOptions } from '../../util/check-options.js';
import { VERSION } from '../../util/version.js';
import type { ResolvedInformerOptions } from '../informer-options.js';

/** The caches of an engine on disk, so that a restart need not list everything again. */
export interface SnapshotOptions {
  /**
   * An absolute path; created if it is missing. One engine at a time uses it. The files hold complete objects: see
   * SECURITY.md.
   */
  readonly directory: string;
  /** How often a changed cache is written, plus jitter; less often if writing takes more than 2.5 % of the time. @default 60_000 */
  readonly everyMs?: number;
  /** 32 bytes: the files are encrypted and authenticated with AES-256-GCM. @default not encrypted */
  readonly key?: Uint8Array;
  /** A larger cache is not written, and a larger file not read. @default 8 GiB */
  readonly maxBytes?: number;
}

export type ResolvedSnapshotOptions = Required<Omit<SnapshotOptions, 'key'>> & {
  readonly key: Uint8Array | undefined;
};

const DEFAULT_MAX_BYTES = 8 * 1024 ** 3;

const RULES: Rules<ResolvedSnapshotOptions> = {
  directory: {
    fallback: () => '',
    expected: 'an absolute path',
    accepts: (value) => typeof value === 'string' && isAbsolute(value),
  },
  everyMs: duration(60_000, 100),
  key: {
    fallback: () => undefined,
    expected: `${KEY_BYTES} bytes`,
    accepts: (value) => value instanceof Uint8Array && value.length === KEY_BYTES,
  },
  maxBytes: integer(DEFAULT_MAX_BYTES, 1024),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveSnapshotOptions(options: SnapshotOptions): ResolvedSnapshotOptions {
  const resolved = resolveOptions('Engine snapshot', RULES, options);
  if (resolved.directory === '')
    throw invalidOption('Engine snapshot', `directory must be ${RULES.directory.expected}`);
  if (process.platform === 'win32') {
    throw invalidOption('Engine snapshot', 'is not available on Windows: the directory could not be locked');
  }
  return resolved;
}

type Informer = Pick<
  ResolvedInformerOptions<KubernetesObject>,
  | 'snapshot'
  | 'apiVersion'
  | 'kind'
  | 'plural'
  | 'namespaces'
  | 'labelSelector'
  | 'fieldSelector'
  | 'drop'
  | 'hooks'
  | 'metadataOnly'
  | 'encoding'
  | 'shard'
  | 'ring'
> & {
  readonly transform?: unknown;
  readonly mutationDetector?: unknown;
  readonly list: unknown;
  readonly indexers: Readonly<Record<string, unknown>>;
};

/** Whether an informer of an engine with snapshots has one: by default if it can have one, and is not of Secrets. */
export function hasSnapshot(informer: Informer): boolean {
  const { snapshot, apiVersion, plural } = informer;
  if (snapshot === false || obstacleOf(informer) !== undefined) return false;
  return snapshot !== undefined || !(apiVersion === 'v1' && plural === 'secrets');
}

/** Throws `KUBEFLECT_OPTION_INVALID` if an informer asks for a snapshot and cannot have one. */
export function checkSnapshotOption(informer: Informer, isEnabled: boolean): void {
  if (informer.snapshot === undefined || informer.snapshot === false) return;
  const obstacle = isEnabled ? obstacleOf(informer) : "the engine's option snapshot is not set";
  if (obstacle !== undefined) {
    throw invalidOption('informer', `snapshot must be false or omitted: ${obstacle}`);
  }
}

function obstacleOf(informer: Informer): string | undefined {
  if (informer.transform !== undefined) return 'transform makes objects that are not bytes';
  if (informer.mutationDetector !== undefined) return 'mutationDetector makes objects that are not bytes';
  if (typeof informer.list === 'function') return 'list is a function';
  if (informer.ring !== undefined) return 'the shards of a ring are others after a restart';
  return undefined;
}

/** What must be equal, so that a snapshot of one process can be the cache of another. */
export async function identityOf(informer: Informer): Promise<ExpectedIdentity> {
  // Those that a worker computes: their values are in the cells. Other functions are called again.
  const indexers = Object.entries(informer.indexers).flatMap(([name, indexer]) => {
    if (indexer === controllerUid) return [[name, 'controllerUid']];
    return typeof indexer === 'function' ? [] : [[name, indexer]];
  });
  const { apiVersion, kind, plural, namespaces, labelSelector, fieldSelector, drop } = informer;
  return {
    program: {
      kubeflect: VERSION,
      'protobuf schema': PROTOBUF_VERSION,
      format: String(FORMAT_VERSION),
    },
    options: {
      apiVersion,
      plural,
      kind,
      namespace: JSON.stringify(namespaces),
      labelSelector: labelSelector ?? '',
      fieldSelector: fieldSelector ?? '',
      drop: JSON.stringify(drop),
      indexers: JSON.stringify(indexers),
      hooks: await hashOfHooks(informer.hooks),
      metadataOnly: String(informer.metadataOnly),
      encoding: informer.encoding,
      shard: informer.shard === undefined ? '' : `${informer.shard.index} of ${informer.shard.of}`,
    },
  };
}

/** All snapshots of a resource begin the same: see workers/snapshot/snapshot-service.ts. */
export function snapshotName({ options }: ExpectedIdentity): string {
  const hash = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16);
  return `${options.plural}.${(options.apiVersion ?? '').replaceAll('/', '.')}-${hash}.snapshot`;
}

/** Of the module itself; modules that it imports are not looked at. */
async function hashOfHooks(hooks: string | undefined): Promise<string> {
  if (hooks === undefined) return '';
  const content = hooks.startsWith('file:') ? await readFile(new URL(hooks)) : hooks;
  return createHash('sha256').update(content).digest('hex');
}
